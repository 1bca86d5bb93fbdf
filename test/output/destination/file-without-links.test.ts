import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { openFile } from "../../../src/output/destination/file.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { rejectionOf } from "../faults.ts";

// No file system without hard links can be had without being root.
const { refusal } = vi.hoisted(() => ({ refusal: { code: "" as string | undefined } }));
vi.mock(import("node:fs/promises"), async (original) => ({
  ...(await original()),
  link: () => Promise.reject(Object.assign(new Error("link failed"), refusal)),
}));

let target: string;
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  target = join(folder, "rows.csv");
});

test.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])(
  "a free name is claimed where files cannot have two names (%s)",
  async (code) => {
    const destination = await openFile(target, { noClobber: true });
    await destination.write("mine");
    refusal.code = code;
    await destination.finish();
    expect([await readdir(folder), await readFile(target, "utf8")]).toEqual([["rows.csv"], "mine"]);
  },
);

test("a file that appeared meanwhile is kept where files cannot have two names", async () => {
  const destination = await openFile(target, { noClobber: true });
  await writeFile(target, "theirs");
  refusal.code = "EPERM";
  expect(await rejectionOf(destination.finish())).toMatchObject({
    name: "FileError",
    message: `${target}: another process has created it; the complete output is in ${target}.partial`,
  });
  expect(await readFile(target, "utf8")).toBe("theirs");
});

test.each([
  ["EIO", "the device failed to read or write"],
  [undefined, "link failed"],
])("another failure (%s) is reported, and nothing is renamed", async (code, reason) => {
  const destination = await openFile(target, { noClobber: true });
  refusal.code = code;
  expect(await rejectionOf(destination.finish())).toMatchObject({
    name: "FileError",
    message: `${target}: ${reason}; the complete output is in ${target}.partial`,
  });
  expect(await readdir(folder)).toEqual(["rows.csv.partial"]);
});
