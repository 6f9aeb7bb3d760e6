// The HTTP server of the account service.
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { authenticate } from "./auth.js";
import { createUser, findUser, UserError } from "./users.js";

const MAX_BODY = 64 * 1024;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) {
      throw new UserError(413, "the body is too large");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const caller = await authenticate(request.headers.authorization);
  if (caller === null) {
    return send(response, 401, { error: "who are you?" });
  }
  const url = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "POST" && url.pathname === "/users") {
    const user = await createUser(JSON.parse(await readBody(request)));
    return send(response, 201, user);
  }
  const match = /^\/users\/(\d+)$/.exec(url.pathname);
  if (request.method === "GET" && match) {
    const id = Number(match[1]);
    if (id !== caller) {
      return send(response, 403, { error: "that is somebody else" });
    }
    const user = await findUser(id);
    return user ? send(response, 200, user) : send(response, 404, { error: "no such user" });
  }
  return send(response, 404, { error: "no such page" });
}

export const server = createServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    if (error instanceof UserError) {
      return send(response, error.status, { error: error.message });
    }
    if (error instanceof SyntaxError) {
      return send(response, 400, { error: "that is no JSON" });
    }
    console.error(error);
    return send(response, 500, { error: "something went wrong" });
  });
});
