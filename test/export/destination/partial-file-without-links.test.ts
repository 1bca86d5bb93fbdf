import files, { readdir, readFile, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { FileError } from "../../../src/contract/errors.ts";
import type { Destination } from "../../../src/export/destination/destination.ts";
import { openFile } from "../../../src/export/destination/partial-file.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { rejectionOf } from "../faults.ts";

/** An output that must not replace a file; it is disposed of when the test ends. */
async function opened(): Promise<Destination> {
  const destination = await openFile(target, { pid: process.pid, noClobber: true });
  onTestFinished(() => destination[Symbol.asyncDispose]());
  return destination;
}

/** The files of the folder without locks. */
async function listed(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.endsWith(".lock"));
}

let target: string;
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  target = join(folder, "rows.csv");
});

/** Lets no file have two names, as file systems without hard links do; only root could mount one. */
function refuseLinks(code?: string): void {
  const spy = vi.spyOn(files, "link").mockRejectedValue(Object.assign(new Error("link failed"), { code }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])(
  "a free name is claimed where files cannot have two names (%s)",
  async (code) => {
    const destination = await opened();
    await destination.write("mine");
    refuseLinks(code);
    await destination.finish();
    expect([await listed(), await readFile(target, "utf8")]).toEqual([["rows.csv"], "mine"]);
  },
);

test("a file that appeared meanwhile is kept where files cannot have two names", async () => {
  const destination = await opened();
  await writeFile(target, "theirs");
  refuseLinks("EPERM");
  expect(await rejectionOf(destination.finish())).toMatchObject({
    constructor: FileError,
    message: `${target}: another process has created it; the complete output is in ${target}.partial`,
  });
  expect(await readFile(target, "utf8")).toBe("theirs");
});

test.each([
  ["EIO", "the device failed to read or write"],
  [undefined, "link failed"],
])("another failure (%s) is reported, and nothing is renamed", async (code, reason) => {
  const destination = await opened();
  refuseLinks(code);
  expect(await rejectionOf(destination.finish())).toMatchObject({
    constructor: FileError,
    message: `${target}: ${reason}; the complete output is in ${target}.partial`,
  });
  expect(await listed()).toEqual(["rows.csv.partial"]);
});
