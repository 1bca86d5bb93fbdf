import { createServer, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** A proxy before the service at `url` that hands each answer on `milliseconds` after its request came. */
export async function startDelayProxy(url, milliseconds) {
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url, url);
    const due = wait(milliseconds);
    const { host: _, ...headers } = incoming.headers;
    request(target, { headers }, async (answer) => {
      await due;
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    })
      .on("error", () => outgoing.destroy())
      .end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
