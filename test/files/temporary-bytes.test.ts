import { readdirSync, readlinkSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryBytes } from "../../src/files/stored-bytes.ts";

/** Lets writes to any file fail while the disk is full. */
async function disk() {
  const handle = await open("/dev/null", "w");
  const prototype: Pick<FileHandle, "write"> = Object.getPrototypeOf(handle);
  await handle.close();
  const write = prototype.write as (this: unknown, ...all: unknown[]) => Promise<never>;
  const state = { isFull: false, refused: 0 };
  const spy = vi.spyOn(prototype, "write").mockImplementation(function (this: unknown, ...all: unknown[]) {
    state.refused += state.isFull ? 1 : 0;
    return state.isFull
      ? Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" }))
      : write.call(this, ...all);
  } as FileHandle["write"]);
  onTestFinished(() => spy.mockRestore());
  return state;
}

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

test("a full disk is an error where pages must be kept", async () => {
  const store = temporaryBytes();
  onTestFinished(() => store.close());
  const space = await disk();
  space.isFull = true;
  await expect(store.append(Buffer.from("first"))).rejects.toThrow("the disk is full");
});
