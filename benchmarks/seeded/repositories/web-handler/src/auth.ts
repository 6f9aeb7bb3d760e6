// Who calls: a bearer token is looked up by its digest and must not have expired.
import { createHash } from "node:crypto";
import { query } from "./db.js";

interface Session {
  user_id: number;
  expires: Date;
}

export async function authenticate(header: string | undefined): Promise<number | null> {
  const token = /^Bearer (\S+)$/.exec(header ?? "")?.[1];
  if (!token) {
    return null;
  }
  const digest = createHash("sha256").update(token).digest("hex");
  const rows = await query<Session>("SELECT user_id, expires FROM sessions WHERE digest = $1", [
    digest,
  ]);
  const session = rows[0];
  if (!session || session.expires.getTime() <= Date.now()) {
    return null;
  }
  return session.user_id;
}
