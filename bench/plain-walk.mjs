import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/**
 * What a user would write instead of the tool: one page after the other, each parsed and written as NDJSON.
 *
 * @returns milliseconds
 */
export async function walkPlainly({ url, headers }, file) {
  const started = performance.now();
  const output = createWriteStream(file);
  let cursor;
  do {
    const query = new URLSearchParams({ limit: 500, ...(cursor && { cursor }) });
    const response = await fetch(`${url}/v1/catalog?${query}`, { headers });
    const { data, pagination } = await response.json();
    if (!output.write(data.map((row) => `${JSON.stringify(row)}\n`).join(""))) {
      await once(output, "drain");
    }
    cursor = pagination.next_cursor;
  } while (cursor);
  output.end();
  await once(output, "close");
  await rm(file);
  return performance.now() - started;
}

// `node plain-walk.mjs URL FILE`: as a program of its own.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url, file] = process.argv.slice(2);
  await walkPlainly({ url, headers: {} }, file);
}
