import { readdirSync, readlinkSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { type Extent, openStoredBytes, temporaryBytes } from "../../src/files/stored-bytes.ts";
import { temporaryFolder } from "../helpers/cli.ts";

test("each piece is read as it was appended, also by a later process, which appends after the last piece that counts", async () => {
  const path = join(await temporaryFolder(), "pages");
  const bytes = await openStoredBytes(path, 0);
  const pieces = ["one\n", "", "three\n", "lost"].map((text) => Buffer.from(text));
  const extents: Extent[] = [];
  for (const piece of pieces) {
    extents.push((await bytes.append(piece)) as Extent);
  }
  await bytes.close();
  const again = await openStoredBytes(path, "one\nthree\n".length);
  await again.append(Buffer.from("four\n"));
  expect(await Promise.all(extents.slice(0, 3).map(async (one) => (await again.read(one))?.toString()))).toEqual([
    "one\n",
    "",
    "three\n",
  ]);
  await again.close();
  expect(await readFile(path, "utf8")).toBe("one\nthree\nfour\n");
});

test("a piece of a file that was cut is not read", async () => {
  const path = join(await temporaryFolder(), "pages");
  await writeFile(path, "0123");
  const bytes = await openStoredBytes(path, 10);
  onTestFinished(() => bytes.close());
  expect([await bytes.read({ at: 2, length: 4 }), (await stat(path)).size]).toEqual([undefined, 4]);
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
          kept.push({ extent: (await bytes.append(Buffer.from(text))) as Extent, text });
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

/** Temporary files of this process that have no name any more. */
function unnamed(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return /catalog-.*\.pages \(deleted\)$/.test(target) ? [target] : [];
    } catch {
      return [];
    }
  });
}

test("a temporary file is gone when all of its pieces are freed", async () => {
  const bytes = temporaryBytes();
  onTestFinished(() => bytes.close());
  const large = Buffer.alloc(40 * 1024 * 1024);
  const extents: Extent[] = [];
  for (let piece = 0; piece < 5; piece += 1) {
    extents.push((await bytes.append(large)) as Extent);
  }
  expect(unnamed().length).toBe(3);
  for (const extent of extents.slice(0, 3)) {
    bytes.free(extent);
  }
  await expect.poll(() => unnamed().length).toBe(2);
  expect((await bytes.read(extents[3] as Extent))?.equals(large)).toBe(true);
});
