import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileError } from "../../src/errors.ts";
import { claimOutput, type Resumable } from "../../src/export/resume.ts";
import { type FileDestination, openFile } from "../../src/output/destination/file.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const head = {
  service: "http://127.0.0.1/",
  filters: {},
  format: "ndjson",
  columns: null,
  compression: null,
  page_size: 500,
  max_rows: null,
};

async function claimed(path: string): Promise<{ claim: Resumable; file: FileDestination }> {
  const claim = await claimOutput(path, { head, resume: false, tool: "0", pid: process.pid, startedAt: "2026-01-01" });
  const file = await openFile(path, { keepPartial: true });
  if (claim === undefined || !("sync" in file)) {
    throw new Error("a regular file can be resumed");
  }
  claim.planned(1);
  return { claim, file };
}

function finish(claim: Resumable, file: FileDestination, key: string): void {
  claim.finished(file, { key, filters: {}, rows: 1 }, { rows: 1, bytes: file.position() });
}

test("slices that finish one right after the other are all safe once it has settled", async () => {
  const path = join(await temporaryFolder(), "rows.ndjson");
  const { claim, file } = await claimed(path);
  for (const key of ["a", "b", "c"]) {
    await file.write(`"${key}"\n`);
    finish(claim, file, key);
  }
  await claim.settle();
  const { slices, slice_pages } = JSON.parse(await readFile(`${path}.partial.json`, "utf8"));
  expect(slices).toEqual(["a", "b", "c"].map((key, index) => ({ key, rows: 1, bytes: 4 * (index + 1) })));
  expect(slice_pages).toBe(1);
  await file.abandon();
  expect(await claim.leave()).toBe(true);
});

test("slices that are taken back meanwhile do not come back", async () => {
  const path = join(await temporaryFolder(), "rows.ndjson");
  const { claim, file } = await claimed(path);
  finish(claim, file, "a");
  finish(claim, file, "b");
  await claim.rewound(1);
  await claim.settle();
  const { slices } = JSON.parse(await readFile(`${path}.partial.json`, "utf8"));
  expect(slices).toEqual([{ key: "a", rows: 1, bytes: 0 }]);
  await file.abandon();
  await claim.leave();
});

test("a journal that cannot be written is told before anything more is taken for safe", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "at"));
  const path = join(folder, "at", "rows.ndjson");
  const { claim, file } = await claimed(path);
  await rename(join(folder, "at"), join(folder, "away"));
  finish(claim, file, "a");
  await expect(claim.settle()).rejects.toThrow(FileError);
  expect(() => finish(claim, file, "b")).toThrow(FileError);
  await file.abandon();
  await claim.leave();
});
