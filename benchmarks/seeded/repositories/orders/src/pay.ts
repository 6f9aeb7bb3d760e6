import { sendReceipt } from './mail'
import { isOpen } from './model'
import { findOrder, markPaid } from './store'

export async function pay(id: string, cents: number): Promise<'paid' | 'refused'> {
  const order = await findOrder(id)
  if (!isOpen(order) || order.cents !== cents) {
    return 'refused'
  }
  const done = await markPaid(id, cents)
  if (!done) {
    return 'refused'
  }
  await sendReceipt(order.customer, cents)
  return 'paid'
}
