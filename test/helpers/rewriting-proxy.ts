import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { request as ask } from "undici";
import type { OnEnd } from "./endings.ts";

interface Passed {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** A response as the upstream service sent it, with the request that it answers. */
interface Answered extends Passed {
  target: string;
  sent: IncomingHttpHeaders;
}

/**
 * A service that answers as `upstream` does, except for what `rewrite` changes.
 *
 * @returns its address
 */
export async function startRewritingProxy(
  upstream: string,
  rewrite: (response: Answered) => Partial<Passed>,
  onEnd: OnEnd,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const target = request.url ?? "";
    const { authorization = "" } = request.headers;
    const answer = await ask(`${upstream}${target}`, { headers: { authorization } });
    const names = ["content-type", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    const headers = Object.fromEntries(
      names.flatMap((name) => (answer.headers[name] === undefined ? [] : [[name, String(answer.headers[name])]])),
    );
    const passed = { status: answer.statusCode, headers, text: await answer.body.text() };
    const { status, headers: changed, text } = { ...passed, ...rewrite({ ...passed, target, sent: request.headers }) };
    response.writeHead(status, { ...headers, ...changed }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}
