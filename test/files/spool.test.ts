import { readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Extent, openSpool, openTemporarySpool } from "../../src/files/spool.ts";
import { temporaryFolder } from "../helpers/cli.ts";

test("pieces are read as written after others were freed, and free space is used again", async () => {
  const path = join(await temporaryFolder(), "spool");
  const step = fc.record({ size: fc.integer({ min: 1, max: 50 }), free: fc.option(fc.nat(20)) });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      round += 1;
      const spool = await openSpool(`${path}${round}`, 1_000_000, []);
      const held: [Extent, Buffer][] = [];
      for (const [index, { size, free }] of steps.entries()) {
        const bytes = Buffer.alloc(size, index + 1);
        held.push([(await spool.write(bytes)) as Extent, bytes]);
        if (free !== null && free < held.length) {
          for (const [extent] of held.splice(free, 1)) {
            spool.free(extent);
          }
        }
      }
      for (const [extent, bytes] of held) {
        expect(await spool.read(extent)).toEqual(bytes);
      }
      const used = held.map(([extent]) => extent).sort((a, b) => a.at - b.at);
      expect(
        used.every(({ at }, index) => index === 0 || at >= (used[index - 1]?.at ?? 0) + (used[index - 1]?.length ?? 0)),
      ).toBe(true);
      await spool.close();
    }),
    { numRuns: 50 },
  );
});

test("the space of freed pieces is used again, also in a continued spool", async () => {
  const path = join(await temporaryFolder(), "spool");
  const first = await openSpool(path, 1_000, []);
  const [a, b] = [await first.write(Buffer.alloc(100, 1)), await first.write(Buffer.alloc(100, 2))];
  await first.close();
  const second = await openSpool(path, 1_000, [b as Extent]);
  expect(await second.write(Buffer.alloc(60, 3))).toEqual({ at: 0, length: 60 });
  second.free(b as Extent);
  expect(await second.write(Buffer.alloc(140, 4))).toEqual({ at: 60, length: 140 });
  await second.close();
  expect([a, (await stat(path)).size]).toEqual([{ at: 0, length: 100 }, 200]);
});

test("pieces beyond the limit are refused unless they must be kept", async () => {
  const spool = await openSpool(join(await temporaryFolder(), "spool"), 150, []);
  const first = await spool.write(Buffer.alloc(100));
  expect(spool.hasRoom()).toBe(true);
  expect(await spool.write(Buffer.alloc(100))).toBeUndefined();
  expect(await spool.write(Buffer.alloc(100), true)).toEqual({ at: 100, length: 100 });
  expect(spool.hasRoom()).toBe(false);
  spool.free(first as Extent);
  expect(await spool.write(Buffer.alloc(50))).toEqual({ at: 0, length: 50 });
  await spool.close();
});

test("a temporary spool has no name", async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.endsWith(".spool"));
  const spool = await openTemporarySpool(1_000);
  const extent = await spool.write(Buffer.from("rows"));
  expect((await readdir(tmpdir())).filter((name) => name.endsWith(".spool"))).toEqual(before);
  expect(String(await spool.read(extent as Extent))).toBe("rows");
  await spool.close();
});
