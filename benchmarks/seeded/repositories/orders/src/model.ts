export interface Order {
  id: string
  customer: string
  cents: number
  paidAt: Date | null
}

export class NotFound extends Error {}

export function isOpen(order: Order): boolean {
  return order.paidAt === null
}
