import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Rcd } from "../../../src/contract/filters.ts";
import type { Product } from "../../../src/contract/product.ts";
import { lock } from "../../../src/files/lock.ts";
import { ownFolderOf } from "../../../src/folder/folder-lock.ts";
import { modelText } from "../../../src/folder/index/listings.ts";
import { addressesOf } from "../../../src/folder/index/product-addresses.ts";
import { withPrices } from "../../../src/folder/index/read-prices.ts";
import { type Observation, observationAt } from "../../../src/folder/prices/observation.ts";
import { readSyncedFolder } from "../../../src/folder/synced-day.ts";
import { product } from "../../helpers/products.ts";
import { servedFolder, syncedFolder } from "../../helpers/synced-folder.ts";

const DAYS = ["2026-01-01", "2026-01-02"];

const rows = DAYS.flatMap((crawl_date, index) => [
  product({ crawl_date, sku: "ab", selling_price: 1.5 + index, currency: "EUR", title: `Lamp ${index}` }),
  product({ crawl_date, sku: "b", retailer: "bolt", currency: "USD", brand: "Élan", model_number: `ß-${index}` }),
  product({ crawl_date, sku: "Ω-🪑", category: "chairs", discount_pct: 12.5, title: "\ufeffCadeira 🪑" }),
]);

const indexOf = (folder: string) => join(ownFolderOf(folder), "prices.index");

describe("prices of the days of a synced folder", () => {
  test("are those of the rows, from the Parquet files and from the index", async () => {
    const folder = await syncedFolder(rows);

    const first = await pricesOf(folder);
    const onDay = vi.fn<(day: string) => void>();

    expect(first).toEqual(expected(rows));
    expect(await pricesOf(folder, DAYS, undefined, undefined, onDay)).toEqual(first);
    expect(onDay).not.toHaveBeenCalled();
  });

  test("of some days can be read before those of others", async () => {
    const folder = await syncedFolder(rows);

    const [first, second] = DAYS.map((day) => expected(rows.filter(({ crawl_date }) => crawl_date === day)));
    expect(await pricesOf(folder, [DAYS[1] as string])).toEqual(second);
    expect(await pricesOf(folder, [DAYS[0] as string])).toEqual(first);
    expect(await pricesOf(folder)).toEqual(expected(rows));
  });

  test("are only those of the wanted combinations", async () => {
    const folder = await syncedFolder(rows);

    const lamps = await pricesOf(folder, DAYS, undefined, ({ category }) => category !== "chairs");

    expect(lamps).toEqual(expected(rows.filter(({ category }) => category !== "chairs")));
    expect(await pricesOf(folder)).toEqual(expected(rows));
  });

  test("follow syncs that replace, add and remove a day", async () => {
    const { folder, sync, replace } = await servedFolder(rows);
    await sync();
    await pricesOf(folder);
    const [first, second] = DAYS.map((day) => rows.filter(({ crawl_date }) => crawl_date === day));
    const dearer = (second ?? []).map((row) => ({ ...row, product_id: `${row.product_id}!`, selling_price: 99 }));
    const added = dearer.map((row) => ({ ...row, product_id: `${row.product_id}!`, crawl_date: "2026-01-03" }));

    for (const now of [[...(first ?? []), ...dearer], [...rows, ...added], [...dearer, ...added], added, rows]) {
      await replace(now);
      await sync({ lookback: 5, prune: true, allowShrink: true });
      expect(await pricesOf(folder, [...DAYS, "2026-01-03"])).toEqual(expected(now));
    }
  });

  test("are read from the Parquet files if the index is damaged anywhere or cut off", async () => {
    const folder = await syncedFolder(rows.slice(0, 3));
    const right = await pricesOf(folder);
    const bytes = await readFile(indexOf(folder));

    const damages = Array.from({ length: Math.ceil(bytes.length / 31) }, (_, index) => {
      const flipped = Buffer.from(bytes);
      flipped[index * 31] = (flipped[index * 31] ?? 0) ^ 1;
      return flipped;
    });
    const cuts = [0, 1, 11, 12, bytes.length >> 1, bytes.length - 1].map((length) => bytes.subarray(0, length));
    for (const damaged of [...damages, ...cuts]) {
      await writeFile(indexOf(folder), damaged);
      expect(await pricesOf(folder)).toEqual(right);
      expect(await readFile(indexOf(folder))).toEqual(bytes);
    }
  });

  test("are read from the Parquet files if the index claims what it cannot hold, with a right checksum", async () => {
    const folder = await syncedFolder(rows);
    const right = await pricesOf(folder);
    const bytes = await readFile(indexOf(folder));
    const length = bytes.readUInt32LE(bytes.length - 8);
    const footer = JSON.parse(bytes.subarray(-12 - length, -12).toString());
    const withFooter = (members: object) => {
      const text = Buffer.from(JSON.stringify({ ...footer, ...members }));
      const trailer = Buffer.from(bytes.subarray(-12));
      trailer.writeUInt32LE(text.length, 4);
      return Buffer.concat([bytes.subarray(0, -12 - length), text, trailer]);
    };
    const withNumber = (column: number) => {
      const forged = Buffer.from(bytes);
      forged.writeUInt32LE(4_000_000_000, footer.at + column * 4 * footer.listings);
      return forged;
    };
    const longFooter = Buffer.from(bytes);
    longFooter.writeUInt32LE(4_000_000_000, bytes.length - 8);
    const day = { ...footer.days[0], rows: 4_000_000_000 };
    for (const forged of [
      longFooter,
      ...[0, 1, 2, 3, 4, 5].map(withNumber),
      ...["listings", "skuBytes", "at"].map((name) => withFooter({ [name]: 4_000_000_000 })),
      withFooter({ listings: -1 }),
      withFooter({ days: [day] }),
      withFooter({ days: [5] }),
      withFooter({ combinations: [5, 5, 5, 5] }),
      withFooter({ currencies: 5 }),
      withFooter({ dropped: "1" }),
    ]) {
      forged.writeUInt32LE(crc32(forged.subarray(0, -4)), forged.length - 4);
      await writeFile(indexOf(folder), forged);
      expect(await pricesOf(folder)).toEqual(right);
      expect(await readFile(indexOf(folder))).toEqual(bytes);
    }
  });

  test("are refused if the index names a product that it does not have", async () => {
    const folder = await syncedFolder(rows);
    await pricesOf(folder);
    const bytes = await readFile(indexOf(folder));
    // After the three columns of doubles of the three rows of the first day.
    bytes.writeUInt32LE(4_000_000_000, 3 * 3 * 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    await writeFile(indexOf(folder), bytes);
    await expect(pricesOf(folder)).rejects.toThrow(
      `${indexOf(folder)} names products that it does not have; remove it`,
    );
    await rm(indexOf(folder));
    expect(await pricesOf(folder)).toEqual(expected(rows));
  });

  test("are read from the Parquet files if the index is of another version", async () => {
    const folder = await syncedFolder(rows);
    const right = await pricesOf(folder);
    const bytes = await readFile(indexOf(folder));

    const other = Buffer.from(bytes);
    other.writeUInt32LE(bytes.readUInt32LE(bytes.length - 12) - 1, bytes.length - 12);
    other.writeUInt32LE(crc32(other.subarray(0, -4)), bytes.length - 4);
    await writeFile(indexOf(folder), other);

    expect(await pricesOf(folder)).toEqual(right);
    expect(await readFile(indexOf(folder))).toEqual(bytes);
  });

  test.each(["prices.index", "prices.index.new", "prices.index.lock"])(
    "are read without following a link planted as %s",
    async (name) => {
      const folder = await syncedFolder(rows);
      const victim = join(folder, "..", "victim");
      await writeFile(victim, "untouched");
      await symlink(victim, join(ownFolderOf(folder), name));

      expect(await pricesOf(folder)).toEqual(expected(rows));
      expect(await readFile(victim, "utf8")).toBe("untouched");
      expect(await readdir(join(folder, ".."))).toEqual(["copy", "victim"]);
    },
  );

  test("are read while another process makes the index, and the reason why they are not kept is reported", async () => {
    const folder = await syncedFolder(rows);
    const held = await lock(folder, `${indexOf(folder)}.lock`, process.pid);
    onTestFinished(() => held.release());
    const onNotKept = vi.fn();

    expect(await pricesOf(folder, DAYS, onNotKept)).toEqual(expected(rows));
    expect(onNotKept.mock.calls).toEqual([[expect.stringContaining(`is being written by process ${process.pid}`)]]);
    expect(await readdir(ownFolderOf(folder))).toEqual(["prices.index.lock", "state.json"]);
  });

  test("are read if the index cannot be written", async () => {
    const folder = await syncedFolder(rows);
    await mkdir(`${indexOf(folder)}.new`);
    const onNotKept = vi.fn();

    expect(await pricesOf(folder, DAYS, onNotKept)).toEqual(expected(rows));
    expect(onNotKept.mock.calls).toEqual([[expect.stringContaining("prices.index.new is a folder")]]);
  });

  test("have a small index again after many changes of the rows", async () => {
    const { folder, sync, replace } = await servedFolder(rows);
    const sizes: number[] = [];
    for (let change = 0; change < 6; change += 1) {
      const sold = rows.map((row) => ({
        ...row,
        product_id: `${change} ${row.product_id}`,
        title: `${change}`.repeat(500),
      }));
      await replace(sold);
      await sync({ lookback: 5 });
      expect(await pricesOf(folder)).toEqual(expected(sold));
      sizes.push((await stat(indexOf(folder))).size);
    }
    expect(Math.max(...sizes)).toBeLessThan(3 * (sizes[0] ?? 0));
  });
});

async function pricesOf(
  folder: string,
  days: readonly string[] = DAYS,
  onNotKept: (reason: string) => void = () => {},
  isWanted: (combination: Rcd) => boolean = () => true,
  onDay: (day: string) => void = () => {},
) {
  const state = await readSyncedFolder(folder);
  const { signal } = new AbortController();
  const request = { folder, name: folder, state, days, isWanted, signal, pid: process.pid, onDay, onNotKept };
  return await withPrices(request, async (prices) => {
    const { listings } = prices;
    const found: Observation[] = [];
    for await (const day of prices.days()) {
      for (let row = 0; row < day.rows; row += 1) {
        found.push(observationAt(prices, day, row));
      }
    }
    const addressOf = await addressesOf({ folder, state, signal }, found);
    const facts = found.map((observed) => {
      const { listing, place: _, ...facts } = observed;
      const texts = { title: listings.titleOf(listing), model: listings.modelOf(listing) };
      return { ...facts, ...texts, url: addressOf(observed) };
    });
    return facts.sort(byProduct);
  });
}

function expected(products: readonly Product[]) {
  return products
    .map(({ crawl_date, retailer, category, department, sku, title, brand, model_number, ...row }) => ({
      ...{ day: crawl_date, retailer, category, department, sku, title, model: modelText(brand, model_number) },
      ...{
        mrp: row.mrp,
        selling_price: row.selling_price,
        discount_pct: row.discount_pct,
        currency: row.currency,
        url: row.url,
      },
    }))
    .sort(byProduct);
}

function byProduct(a: { day: string; sku: string }, b: { day: string; sku: string }): number {
  return `${a.day}${a.sku}` < `${b.day}${b.sku}` ? -1 : 1;
}
