import { readdirSync, readlinkSync, statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { temporaryBytes } from "../../src/files/stored-bytes.ts";

/** The modes of the files without a name that this process has open, by their former paths; Linux lists them. */
function modesOfUnnamed(): number[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = `/proc/self/fd/${fd}`;
      return /catalog-.*\.pages \(deleted\)$/.test(readlinkSync(path)) ? [statSync(path).mode & 0o777] : [];
    } catch {
      return [];
    }
  });
}

test("only the owner could read the temporary store of pages while it has a name", async () => {
  const before = process.umask(0o000);
  onTestFinished(() => void process.umask(before));
  const store = temporaryBytes();
  onTestFinished(() => store.close());
  expect(await store.append(Buffer.from("rows"))).toBeDefined();
  expect(modesOfUnnamed()).toEqual([0o600]);
});
