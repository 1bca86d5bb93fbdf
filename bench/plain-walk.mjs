// What a user would write instead of the tool: one page after the other, each parsed and written as CSV if the name of
// the file ends in `.csv`, otherwise as NDJSON. `node plain-walk.mjs URL FILE [PAGES]`; without PAGES, all pages.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";

const [url, file, most = "Infinity"] = process.argv.slice(2);

const output = createWriteStream(file);
let cursor;
let pages = 0;
do {
  const query = new URLSearchParams({ limit: 500, ...(cursor && { cursor }) });
  const response = await fetch(`${url}/v1/catalog?${query}`);
  const { data, pagination } = await response.json();
  const text = file.endsWith(".csv")
    ? stringify(data, { header: cursor === undefined })
    : data.map((row) => `${JSON.stringify(row)}\n`).join("");
  if (!output.write(text)) {
    await once(output, "drain");
  }
  cursor = pagination.next_cursor;
  pages += 1;
} while (cursor && pages < Number(most));
output.end();
await once(output, "close");
await rm(file);
