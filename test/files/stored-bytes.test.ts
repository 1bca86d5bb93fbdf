import { readdirSync, readlinkSync, statSync } from "node:fs";
import files, { type FileHandle, open, readFile, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Extent, openStoredBytes, readAt, temporaryBytes } from "../../src/files/stored-bytes.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { gate } from "../helpers/gate.ts";

/** What every open file inherits, to let its methods fail. */
async function everyFile(): Promise<FileHandle> {
  const handle = await open("/dev/null");
  await handle.close();
  return Object.getPrototypeOf(handle);
}

/** Lets the system give at most `most` bytes for each read of any file, as it may do. */
async function withShortReads(most: number) {
  const prototype = await everyFile();
  const read = prototype.read as (this: unknown, ...position: unknown[]) => Promise<{ bytesRead: number }>;
  const spy = vi.spyOn(prototype, "read").mockImplementation(function (this: unknown, target, offset, length, at) {
    return read.call(this, target, offset, Math.min(most, Number(length)), at);
  } as FileHandle["read"]);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

test("each piece is read as it was appended, also by a later process, which appends after the last piece that counts", async () => {
  const path = join(await temporaryFolder(), "pages");
  const bytes = await openStoredBytes(path, 0);
  const pieces = ["one\n", "", "three\n", "lost"].map((text) => Buffer.from(text));
  const extents: Extent[] = [];
  for (const piece of pieces) {
    extents.push(await bytes.append(piece));
  }
  await bytes.close();
  const again = await openStoredBytes(path, "one\nthree\n".length);
  await again.append(Buffer.from("four\n"));
  const reads = await withShortReads(2);
  expect(await Promise.all(extents.slice(0, 3).map(async (one) => (await again.read(one))?.toString()))).toEqual([
    "one\n",
    "",
    "three\n",
  ]);
  expect(reads()).toBe(2 + 3);
  await again.close();
  expect(await readFile(path, "utf8")).toBe("one\nthree\nfour\n");
});

test("a piece of a file that was cut is not read", async () => {
  const path = join(await temporaryFolder(), "pages");
  await writeFile(path, "0123");
  const bytes = await openStoredBytes(path, 10);
  onTestFinished(() => bytes.close());
  expect({ bytes: await bytes.read({ at: 2, length: 4 }), statCount: (await stat(path)).size }).toEqual({
    bytes: undefined,
    statCount: 4,
  });
});

test("pieces in temporary files are read as they were appended, whichever are freed in between", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ length: fc.integer({ min: 0, max: 9 }), free: fc.nat(3) }), { maxLength: 60 }),
      async (steps) => {
        const bytes = temporaryBytes();
        const kept: { extent: Extent; text: string }[] = [];
        for (const [index, { length, free }] of steps.entries()) {
          const text = String(index % 10).repeat(length);
          kept.push({ extent: await bytes.append(Buffer.from(text)), text });
          if (free === 0) {
            bytes.free(kept.shift()?.extent as Extent);
          }
        }
        const found = await Promise.all(kept.map(async ({ extent }) => (await bytes.read(extent))?.toString()));
        await bytes.close();
        expect(found).toEqual(kept.map(({ text }) => text));
      },
    ),
    { numRuns: 30 },
  );
});

/** The modes of the temporary files of this process, which have no name any more. */
function unnamed(): number[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = `/proc/self/fd/${fd}`;
      return /catalog-.*\.pages \(deleted\)$/.test(readlinkSync(path)) ? [statSync(path).mode & 0o777] : [];
    } catch {
      return [];
    }
  });
}

test("a temporary file, which only its owner could read while it had a name, is gone when all of its pieces are freed", async () => {
  const before = process.umask(0o000);
  onTestFinished(() => void process.umask(before));
  const bytes = temporaryBytes();
  onTestFinished(() => bytes.close());
  // A file takes pieces until it has 64 MiB.
  const large = Buffer.alloc(33 * 1024 * 1024);
  const extents: Extent[] = [];
  for (let piece = 0; piece < 3; piece += 1) {
    extents.push(await bytes.append(large));
  }
  expect(unnamed()).toEqual([0o600, 0o600]);
  for (const extent of extents.slice(0, 2)) {
    bytes.free(extent);
  }
  await expect.poll(unnamed).toEqual([0o600]);
  expect((await bytes.read(extents[2] as Extent))?.equals(large)).toBe(true);
});

test("a temporary file whose bytes are freed may fail to close", async () => {
  const { open: openFile } = files;
  const { passed: failed, open: fail } = gate();
  const spy = vi.spyOn(files, "open").mockImplementation(async (...args) => {
    const handle = await openFile(...args);
    const close = handle.close.bind(handle);
    handle.close = async () => {
      await close();
      setImmediate(fail);
      throw new Error("the device failed");
    };
    return handle;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  const bytes = temporaryBytes();
  bytes.free(await bytes.append(Buffer.from("rows")));
  // An error that nobody handles would end the process, and fails this run.
  await failed;
  await bytes.close();
});

test("a full disk is an error where bytes must be kept", async () => {
  const bytes = temporaryBytes();
  onTestFinished(() => bytes.close());
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  const spy = vi.spyOn(await everyFile(), "write").mockRejectedValue(full);
  onTestFinished(() => spy.mockRestore());
  await expect(bytes.append(Buffer.from("first"))).rejects.toThrow("the disk is full");
});

test("a file that ends too early does not fill its target", async () => {
  const path = join(await temporaryFolder(), "bytes");
  await writeFile(path, "0123456789");
  await using file = await open(path);
  const target = Buffer.alloc(4);
  await readAt(file, target, 6);
  expect(target.toString()).toBe("6789");
  await expect(readAt(file, target, 7)).rejects.toThrow("it ends after 10 bytes");
});
