import { readdirSync, readlinkSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Extent, temporaryBytes } from "../../src/files/stored-bytes.ts";

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

test("a full disk has room again when what lies there is not needed any more", async () => {
  const store = temporaryBytes(1024 ** 3);
  onTestFinished(() => store.close());
  const space = await disk();
  const first = await store.append(Buffer.from("first"));
  space.isFull = true;
  expect([await store.append(Buffer.from("second")), store.hasRoom()]).toEqual([undefined, false]);
  space.isFull = false;
  expect(await store.append(Buffer.from("third"))).toBeUndefined();
  store.free(first as Extent);
  const fourth = await store.append(Buffer.from("fourth"));
  expect([store.hasRoom(), await store.read(fourth as Extent)]).toEqual([true, Buffer.from("fourth")]);
  expect(space.refused).toBe(1);
});

test("a full disk without bytes of the store is asked again", async () => {
  const store = temporaryBytes(1024 ** 3);
  onTestFinished(() => store.close());
  const space = await disk();
  space.isFull = true;
  expect(await store.append(Buffer.from("first"))).toBeUndefined();
  space.isFull = false;
  expect(await store.read((await store.append(Buffer.from("second"))) as Extent)).toEqual(Buffer.from("second"));
});
