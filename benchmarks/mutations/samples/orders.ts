import path from 'node:path';

export interface Order {
  id: number;
  items: string[];
}

export function fileOf(order: Order, folder: string): string {
  return path.join(folder, `${order.id}.json`);
}

export function countItems(orders: Order[]): number {
  let total = 0;
  for (const order of orders) {
    total += order.items.length;
  }
  return total;
}
