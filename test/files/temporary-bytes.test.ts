import { readdirSync, readlinkSync, statSync } from "node:fs";
import files, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryBytes } from "../../src/files/stored-bytes.ts";

const { open } = files;

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

test("a file whose bytes are freed may fail to close", async () => {
  const opened: FileHandle[] = [];
  const spy = vi.spyOn(files, "open").mockImplementation(async (...args) => {
    const handle = await open(...args);
    opened.push(handle);
    return handle;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  const bytes = temporaryBytes();
  const extent = await bytes.append(Buffer.from("rows"));
  const [handle] = opened as [FileHandle];
  const close = handle.close.bind(handle);
  const closing = new Promise<void>((resolve) => {
    handle.close = async () => {
      await close();
      setImmediate(resolve);
      throw new Error("the device failed");
    };
  });
  bytes.free(extent);
  // An error that nobody handles would end the process, and fails this run.
  await closing;
  await bytes.close();
});

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
