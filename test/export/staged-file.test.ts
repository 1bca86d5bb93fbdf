import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createJsonEncoder } from "../../src/export/formats/json.ts";
import { writeStaged } from "../../src/export/sink.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { followSyncs, openPaths } from "../helpers/durability.ts";
import { rejectionOf } from "./faults.ts";

test("a file that is written again, because the set changed, has only the later rows", async () => {
  const path = join(await temporaryFolder(), "2026-01-01");
  for (const rows of [['{"sku":"1"}', '{"sku":"2"}'], ['{"sku":"3"}']]) {
    const batches = (async function* () {
      yield batchOf(rows);
    })();
    expect(await writeStaged(path, batches, () => createJsonEncoder({ known: [] }))).toMatchObject({
      rows: rows.length,
    });
  }
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual([{ sku: "3" }]);
});

test("a staged file is on disk when it is written, and closed", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "2026-01-01");
  const syncs = await followSyncs(folder);
  const written = await writeStaged(path, (async function* () {})(), () => createJsonEncoder({ known: [] }));
  expect(syncs).toEqual([{ kind: "file", names: ["2026-01-01"] }]);
  const sha256 = createHash("sha256").update("[\n]\n").digest("hex");
  expect([await readFile(path, "utf8"), written, openPaths(folder)]).toEqual([
    "[\n]\n",
    { rows: 0, bytes: 4, sha256 },
    [],
  ]);
});

test("an encoder that refuses its columns leaves no file", async () => {
  const folder = await temporaryFolder();
  const refused = new Error("no such column");
  const writing = writeStaged(join(folder, "2026-01-01"), (async function* () {})(), () => {
    throw refused;
  });
  expect([await rejectionOf(writing), await readdir(folder), openPaths(folder)]).toEqual([refused, [], []]);
});

test("a file is closed when its encoder cannot be", async () => {
  const folder = await temporaryFolder();
  const lost = new Error("the scratch files cannot be removed");
  const encoder = { ...createJsonEncoder({ known: [] }), close: () => Promise.reject(lost) };
  const writing = writeStaged(join(folder, "2026-01-01"), (async function* () {})(), () => encoder);
  expect([await rejectionOf(writing), openPaths(folder)]).toEqual([lost, []]);
});

test("a file is closed when its rows cannot be had", async () => {
  const folder = await temporaryFolder();
  const lost = new Error("the connection was lost");
  const batches = (async function* () {
    yield batchOf(['{"sku":"1"}']);
    throw lost;
  })();
  const writing = writeStaged(join(folder, "2026-01-01"), batches, () => createJsonEncoder({ known: [] }));
  expect([await rejectionOf(writing), openPaths(folder)]).toEqual([lost, []]);
});
