import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileError, LockedError } from "../../src/contract/errors.ts";
import { type Claim, claimOutput } from "../../src/export/claim.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const OPTIONS = {
  head: { service: "a", filters: {}, asked: {} },
  pageSize: 1,
  mode: "careful",
  tool: "test",
  startedAt: "at first",
  refuse: () => new Error("refused"),
  onNote: () => undefined,
  onLeft: () => undefined,
} as const;

async function claim<T>(path: string, work: (claim: Claim | undefined) => Promise<T>): Promise<T> {
  await using claimed = await claimOutput(path, process.pid, OPTIONS);
  const result = await work(claimed);
  await claimed?.store.remove();
  return result;
}

test("only one process at a time writes an output; its unfinished files go when it is done", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "rows.csv");
  for (const name of ["rows.csv.partial", "rows.csv.partial.spool"]) {
    await writeFile(join(folder, name), "of an earlier version");
  }
  const result = await claim(path, async (held) => {
    await expect(claim(path, async () => expect.unreachable())).rejects.toThrow(LockedError);
    await held?.lock.assertHeld();
    expect([held?.target, held?.store.pages.size(), held?.store.resumedFrom]).toEqual([path, 0, undefined]);
    const files = ["rows.csv.partial.json", "rows.csv.partial.lock", "rows.csv.partial.pages"];
    expect((await readdir(folder)).sort()).toEqual(files);
    return "done";
  });
  expect([result, await readdir(folder)]).toEqual(["done", []]);
  expect(await claim(path, async () => "again")).toBe("again");
});

test("a run that fails leaves its pages, but no lock", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "rows.csv");
  const failed = claim(path, async (held) => {
    await held?.store.pages.begin({ page_size: 1, slice_pages: 1 });
    const coverage = { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null };
    const facts = { rows: 1, digest: "", cursor: null, set: { total: 1, coverage } };
    await held?.store.pages.save("slice", 0, batchOf(["{}"]), facts);
    throw new Error("interrupted");
  });
  await expect(failed).rejects.toThrow("interrupted");
  expect((await readdir(folder)).sort()).toEqual(["rows.csv.partial.json", "rows.csv.partial.pages"]);
});

test("what is no regular file has no claim", async () => {
  expect(await claim("/dev/null", async (held) => held?.target)).toBeUndefined();
});

test("a name must leave room for those of the unfinished files", async () => {
  const folder = await temporaryFolder();
  const longest = `${"ü".repeat(119)}abc`;
  expect(await claim(join(folder, longest), async (held) => held?.target)).toBe(join(folder, longest));
  const longer = join(folder, `${longest}d`);
  const message = `${longer}: the name is too long; it may have at most 241 bytes, because the export also needs names like NAME.partial.pages`;
  await expect(claim(longer, async () => expect.unreachable())).rejects.toThrow(new FileError(message, longer));
  expect(await readdir(folder)).toEqual([]);
});
