import { readdir } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { lockFolder, ownFolderOf } from "../../src/folder/folder-lock.ts";
import { temporaryFolder } from "../helpers/cli.ts";

vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const rm: typeof real.rm = async (path, options) => {
    if (/staging-[^/]*$/.test(String(path))) {
      throw new Error("the disk is busy");
    }
    await real.rm(path, options);
  };
  return { ...real, rm };
});

test("a folder whose staging folder cannot be removed is unlocked", async () => {
  const folder = await temporaryFolder();
  const locked = await lockFolder(folder, process.pid);
  await expect(locked[Symbol.asyncDispose]()).rejects.toThrow("the disk is busy");
  expect(await readdir(ownFolderOf(folder))).toEqual([expect.stringMatching(/^staging-/)]);
});
