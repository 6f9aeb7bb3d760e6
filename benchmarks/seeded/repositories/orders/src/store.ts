import { Pool } from 'pg'
import { NotFound, type Order } from './model'

const pool = new Pool()

export async function findOrder(id: string): Promise<Order> {
  const found = await pool.query<Order>(
    'SELECT id, customer, cents, paid_at AS "paidAt" FROM orders WHERE id = $1',
    [id],
  )
  const order = found.rows[0]
  if (order === undefined) {
    throw new NotFound(id)
  }
  return order
}

export async function markPaid(id: string, cents: number): Promise<boolean> {
  const client = await pool.connect()
  try {
    const done = await client.query(
      'UPDATE orders SET paid_at = now() WHERE id = $1 AND cents = $2 AND paid_at IS NULL',
      [id, cents],
    )
    return done.rowCount === 1
  } finally {
    client.release()
  }
}
