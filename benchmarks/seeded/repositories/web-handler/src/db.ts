// The only way to the database: a pool, and queries with parameters.
import { Pool } from "pg";

const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  statement_timeout: 5_000,
});

export async function query<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const result = await client.query(sql, [...values]);
    return result.rows as Row[];
  } finally {
    client.release();
  }
}
