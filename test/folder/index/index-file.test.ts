import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileError } from "../../../src/contract/errors.ts";
import { bytesOfRows } from "../../../src/folder/index/day-prices.ts";
import { growListings } from "../../../src/folder/index/grow-listings.ts";
import {
  finishIndex,
  type IndexStore,
  openIndex,
  type PriceIndex,
  storeInFile,
  storeInMemory,
} from "../../../src/folder/index/index-file.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { failureOf } from "../../helpers/test-client.ts";

const DAYS = [
  { day: "2026-01-01", sha256: "a".repeat(64), rows: 2 },
  { day: "2026-01-02", sha256: "b".repeat(64), rows: 0 },
  { day: "2026-01-03", sha256: "c".repeat(64), rows: 1 },
];
const FIRST_DAY = Uint8Array.from({ length: bytesOfRows(2) }, (_, byte) => byte);
const LAST_DAY = Uint8Array.from({ length: bytesOfRows(1) }, (_, byte) => 255 - byte);

const LISTINGS = [
  { rcd: "acme:lamps:home", sku: "s0", currency: "EUR", title: "Lamp", model: "A\nM" },
  { rcd: "acme:lamps:home", sku: "s1", currency: "USD", title: "", model: "B\nM" },
  { rcd: "bolt:chairs:home", sku: "s0", currency: "EUR", title: "Cadeira 🪑", model: "A\nM" },
];

/** Writes an index of three days, and of the listings. */
async function write(store: IndexStore, listings = LISTINGS, dropped = 7): Promise<PriceIndex> {
  const growing = growListings();
  for (const listing of listings) {
    growing.add(listing);
  }
  const bytes = [FIRST_DAY, new Uint8Array(0), LAST_DAY];
  const days = [];
  for (const [index, day] of DAYS.entries()) {
    days.push({ ...day, at: await store.append(bytes[index] as Uint8Array) });
  }
  return await finishIndex(store, days, growing.pack(), dropped);
}

async function written(listings = LISTINGS) {
  const path = join(await temporaryFolder(), "prices.index");
  const file = await open(path, "wx+");
  const store = storeInFile(path, file);
  const index = await write(store, listings);
  await store.finish();
  onTestFinished(() => index.close());
  return { path, index, bytes: await readFile(path) };
}

async function opened(path: string): Promise<PriceIndex | undefined> {
  const index = await openIndex(path);
  onTestFinished(() => index?.close());
  return index;
}

/** All that an index says. */
async function contentOf(index: PriceIndex | undefined) {
  if (index === undefined) {
    return undefined;
  }
  const { listings } = index;
  const days = [];
  for (const { day, sha256, rows, at } of index.days.values()) {
    const bytes = new Uint8Array(bytesOfRows(rows));
    await index.read(bytes, at);
    days.push({ day, sha256, rows, bytes });
  }
  const texts = Array.from({ length: listings.listings }, (_, listing) => {
    const { retailer, category, department } = listings.combinations[listings.combination[listing] ?? -1] ?? {};
    return {
      rcd: [retailer, category, department].join(":"),
      currency: listings.currencies[listings.currency[listing] ?? -1],
      ...{ sku: listings.skuOf(listing), title: listings.titleOf(listing), model: listings.modelOf(listing) },
    };
  });
  return { days, texts, products: listings.products, dropped: index.dropped };
}

const CONTENT = {
  days: DAYS.map((day, index) => ({ ...day, bytes: [FIRST_DAY, new Uint8Array(0), LAST_DAY][index] })),
  texts: LISTINGS,
  products: 3,
  dropped: 7,
};

describe("an index", () => {
  test("has what was written, before and after it is opened again, and in memory", async () => {
    const { path, index } = await written();
    expect(await contentOf(index)).toEqual(CONTENT);
    expect(await contentOf(await opened(path))).toEqual(CONTENT);
    expect(await contentOf(await write(storeInMemory()))).toEqual(CONTENT);
  });

  test("may have no listings", async () => {
    const { path } = await written([]);
    expect(await contentOf(await opened(path))).toEqual({ ...CONTENT, texts: [], products: 0 });
  });

  test("may be longer than what is compared at once", async () => {
    const long = [...LISTINGS, { ...(LISTINGS[0] as (typeof LISTINGS)[0]), title: "x".repeat(3 * 1024 ** 2) }];
    const { path, bytes } = await written(long);
    expect(await contentOf(await opened(path))).toEqual({ ...CONTENT, texts: long });
    const at = bytes.lastIndexOf("xx");
    for (const place of [at, at - 1024 ** 2, at - 2 * 1024 ** 2]) {
      bytes[place] = 0;
      await writeFile(path, bytes);
      expect(await opened(path)).toBeUndefined();
      bytes.write("x", place);
    }
  });

  test("that is not there is none, and one that is read behind its end is an error with its path", async () => {
    const { path, index, bytes } = await written();
    expect(await openIndex(`${path}.other`)).toBeUndefined();
    const failure = await failureOf(index.read(new Uint8Array(1), bytes.length));
    expect([failure, String(failure)]).toEqual([expect.any(FileError), expect.stringContaining(path)]);
  });
});

/** An index with a right checksum whose footer or bytes are others. */
async function forged({ footer: members = {}, change = (_: Buffer, __: Footer) => {} }) {
  const { path, bytes } = await written();
  const length = bytes.readUInt32LE(bytes.length - 8);
  const footer = JSON.parse(bytes.subarray(-12 - length, -12).toString()) as Footer;
  const rest = Buffer.from(bytes.subarray(0, -12 - length));
  change(rest, footer);
  const text = Buffer.from(JSON.stringify(Array.isArray(members) ? members : { ...footer, ...members }));
  const trailer = Buffer.from(bytes.subarray(-12));
  trailer.writeUInt32LE(text.length, 4);
  const all = Buffer.concat([rest, text, trailer]);
  all.writeUInt32LE(crc32(all.subarray(0, -4)), all.length - 4);
  await writeFile(path, all);
  return { index: await opened(path), footer, end: rest.length };
}

interface Footer {
  days: { at: number }[];
  at: number;
  skuBytes: number;
}

describe("with a right checksum, an index", () => {
  const day = { day: "2026-01-01", sha256: "a", rows: 2, at: 0 };

  test("is taken as it is", async () => {
    expect(await contentOf((await forged({})).index)).toEqual(CONTENT);
    const { end } = await forged({});
    // The last one ends where the footer begins.
    const atEnd = { ...day, at: end - bytesOfRows(2) };
    expect((await forged({ footer: { days: [atEnd] } })).index?.days.get(day.day)).toEqual(atEnd);
    expect((await forged({ footer: { days: [{ ...atEnd, at: atEnd.at + 1 }] } })).index).toBeUndefined();
  });

  test.each<[string, object]>([
    ["no object", []],
    ...["dropped", "listings", "skuBytes", "titleBytes", "modelBytes", "at"].flatMap((name): [string, object][] => [
      [`${name} undefined`, { [name]: undefined }],
      [`${name} negative`, { [name]: -1 }],
      [`${name} no whole number`, { [name]: 0.5 }],
    ]),
    ["no combinations", { combinations: undefined }],
    ["a combination that is a text", { combinations: ["acme:lamps:home", "acme:lamps:home"] }],
    ["a combination without a part", { combinations: [{ retailer: "acme", category: "lamps" }] }],
    ["a wrong combination", { combinations: [{ retailer: "a b", category: "c", department: "d" }] }],
    [
      "fewer combinations than its listings have",
      { combinations: [{ retailer: "a", category: "b", department: "c" }] },
    ],
    ["no currencies", { currencies: undefined }],
    ["a currency that is a number", { currencies: ["EUR", 5] }],
    ["fewer currencies than its listings have", { currencies: ["EUR"] }],
    ["no days", { days: undefined }],
    ["a day that is null", { days: [day, null] }],
    ["a day without a day", { days: [{ ...day, day: undefined }] }],
    ["a day that is a number", { days: [{ ...day, day: 20260101 }] }],
    ["a day that is none", { days: [{ ...day, day: "2026-02-30" }] }],
    ["a day without a hash", { days: [{ ...day, sha256: 5 }] }],
    ["a day without rows", { days: [{ ...day, rows: undefined }] }],
    ["a day of no whole number of rows", { days: [{ ...day, rows: 0.5 }] }],
    ["a day without a place", { days: [{ ...day, at: undefined }] }],
    ["a day before its beginning", { days: [{ ...day, at: -1 }] }],
  ])("with %s is none", async (_, footer) => {
    expect((await forged({ footer })).index).toBeUndefined();
  });

  test.each([1, -1])("whose texts are %i bytes longer than said is none", async (more) => {
    const { skuBytes } = (await forged({})).footer;
    expect((await forged({ footer: { skuBytes: skuBytes + more } })).index).toBeUndefined();
  });

  /** Columns: product, combination, currency, and where each sku, title and model ends. */
  test.each([
    ["product", 0, [0, 1, 3]],
    ["combination", 1, [0, 0, 2]],
    ["currency", 2, [0, 1, 2]],
    ["end of skus that comes before another", 3, [4, 2, 6]],
    ["end of titles that comes before another", 4, [5, 4, 16]],
    ["last end of skus", 3, [2, 4, 5]],
    ["last end of titles", 4, [4, 4, 14]],
    ["last end of models", 5, [3, 6, 8]],
  ])("with a wrong %s is none", async (_, column, numbers) => {
    const change = (rest: Buffer, { at }: Footer) => {
      for (const [listing, number] of numbers.entries()) {
        rest.writeUInt32LE(number, at + (column * LISTINGS.length + listing) * 4);
      }
    };
    expect((await forged({ change })).index).toBeUndefined();
  });
});
