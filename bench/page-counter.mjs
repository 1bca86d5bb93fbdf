// Names each page by the id of its first row, so that pages that were asked for can be told from those that are stored.
import { once } from "node:events";
import { open as openFile, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";

function nameOf(rows) {
  return /"product_id":"(.*?)"/.exec(rows)?.[1] ?? "none";
}

/** A proxy before a service that notes each page that is asked for. */
export async function startCountingProxy(target) {
  const asked = [];
  const open = new Set();
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, "accept-encoding": "identity" };
    const answered = forward(new URL(incoming.url, target), headers).then(({ statusCode, headers, body }) => {
      if (/\/v1\/catalog(\?|$)/.test(incoming.url) && statusCode === 200) {
        asked.push(nameOf(body));
      }
      response.writeHead(statusCode, headers).end(body);
      open.delete(answered);
    });
    open.add(answered);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The pages since the last call, in order, also those that a killed process did not get any more. */
    take: async () => {
      await Promise.all(open);
      return asked.splice(0);
    },
    close: () => server.close().closeAllConnections(),
  };
}

async function forward(url, headers) {
  const [answer] = await once(request(url, { headers }).end(), "response");
  return { statusCode: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** The pages in a store. @param path of the store without its endings */
export async function storedPages(path) {
  const found = new Set();
  const slices = await storedSlices(`${path}.json`);
  if (slices.length > 0) {
    const file = await openFile(`${path}.pages`);
    for (const { extent } of slices.flat()) {
      const { buffer } = await file.read(Buffer.alloc(Math.min(extent.length, 4096)), { position: extent.at });
      found.add(nameOf(buffer.toString()));
    }
    await file.close();
  }
  return found;
}

async function storedSlices(path) {
  const slices = new Map();
  const lines = await readFile(path, "utf8").catch(() => "");
  for (const line of lines.split("\n").slice(0, -1)) {
    const { kind, slice, index, ...page } = JSON.parse(line);
    if (kind === "page") {
      slices.set(slice, [...(slices.get(slice) ?? []).slice(0, index), page]);
    }
  }
  return [...slices.values()];
}
