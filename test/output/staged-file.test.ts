import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createJsonEncoder } from "../../src/output/formats/json.ts";
import { writeStaged } from "../../src/output/sink.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";

test("a file that is written again, because the set changed, has only the later rows", async () => {
  const path = join(await temporaryFolder(), "2026-01-01");
  for (const rows of [['{"sku":"1"}', '{"sku":"2"}'], ['{"sku":"3"}']]) {
    const batches = (async function* () {
      yield batchOf(rows);
    })();
    expect(await writeStaged(path, batches, createJsonEncoder({ known: [] }))).toMatchObject({ rows: rows.length });
  }
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual([{ sku: "3" }]);
});
