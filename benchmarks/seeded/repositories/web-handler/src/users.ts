// Users: checked on the way in, stored with parameters, never with their password.
import { randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { query } from "./db.js";

const hash = promisify(scrypt) as (password: string, salt: string, size: number) => Promise<Buffer>;

export interface User {
  id: number;
  email: string;
}

export class UserError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function findUser(id: number): Promise<User | null> {
  const rows = await query<User>("SELECT id, email FROM users WHERE id = $1", [id]);
  return rows[0] ?? null;
}

export async function createUser(input: { email?: unknown; password?: unknown }): Promise<User> {
  const { email, password } = input;
  if (typeof email !== "string" || !/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw new UserError(422, "the e-mail address is not one");
  }
  if (typeof password !== "string" || password.length < 12) {
    throw new UserError(422, "a password has at least 12 characters");
  }
  const salt = randomBytes(16).toString("hex");
  const digest = (await hash(password, salt, 64)).toString("hex");
  const rows = await query<User>(
    "INSERT INTO users (email, salt, digest) VALUES ($1, $2, $3) RETURNING id, email",
    [email, salt, digest],
  );
  return rows[0];
}
