import { chmod, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Product } from "../../../src/contract/product.ts";
import { ownFolderOf } from "../../../src/mirror/folder/folder-lock.ts";
import { readSyncedFolder } from "../../../src/mirror/folder/synced-day.ts";
import { readDayPrices } from "../../../src/mirror/prices/read-prices.ts";
import { observationAt } from "../../../src/prices/observation.ts";
import { product } from "../../helpers/products.ts";
import { servedFolder } from "../../helpers/synced-folder.ts";

const DAYS = ["2026-01-01", "2026-01-02"];

const rows = DAYS.flatMap((crawl_date, index) => [
  product({ crawl_date, sku: "ab", selling_price: 1.5 + index, currency: "EUR" }),
  product({ crawl_date, sku: "b", retailer: "bolt", selling_price: 0.1, currency: "USD" }),
  product({ crawl_date, sku: "Ω-🪑", category: "chairs", discount_pct: 12.5 }),
]);

describe("prices of the days of a synced folder", () => {
  test("are those of the rows, from the Parquet files and from the cache", async () => {
    const { folder, sync } = await servedFolder(rows);
    await sync();

    const first = await pricesOf(folder);
    await Promise.all(DAYS.map((day) => rm(join(folder, `crawl_date=${day}`), { recursive: true })));

    expect(first).toEqual(expected(rows));
    expect(await pricesOf(folder)).toEqual(first);
  });

  test("follow a day that was synced again", async () => {
    const { folder, sync, replace } = await servedFolder(rows);
    await sync();
    await pricesOf(folder);
    const dearer = rows.map((row) => ({ ...row, product_id: `${row.product_id}!`, selling_price: 99 }));
    await replace(dearer);
    await sync({ lookback: 5 });

    expect(await pricesOf(folder)).toEqual(expected(dearer));
  });

  test("are read from the Parquet file if the cache is damaged anywhere", async () => {
    const { folder, sync } = await servedFolder(rows.slice(0, 3));
    await sync();
    const right = await pricesOf(folder);
    const kept = join(ownFolderOf(folder), "prices", DAYS[0] as string);
    const bytes = await readFile(kept);

    for (let at = 0; at < bytes.length; at += 9) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await writeFile(kept, flipped);
      expect(await pricesOf(folder)).toEqual(right);
    }
    await writeFile(kept, "");
    expect(await pricesOf(folder)).toEqual(right);
  });

  test("are not cached through a planted link", async () => {
    const { folder, sync } = await servedFolder(rows);
    await sync();
    const victim = join(folder, "..", "victim");
    await writeFile(victim, "untouched");
    await symlink(join(folder, ".."), join(ownFolderOf(folder), "prices"));

    expect(await pricesOf(folder)).toEqual(expected(rows));
    expect(await readFile(victim, "utf8")).toBe("untouched");
    expect(await readdir(join(folder, ".."))).toEqual(["copy", "victim"]);
  });

  test("are read even if nothing can be cached", async () => {
    const { folder, sync } = await servedFolder(rows);
    await sync();
    await writeFile(join(ownFolderOf(folder), "prices"), "a file");
    await chmod(ownFolderOf(folder), 0o555);

    expect(await pricesOf(folder)).toEqual(expected(rows));
  });
});

async function pricesOf(folder: string) {
  const found = [];
  const state = await readSyncedFolder(folder);
  for await (const day of readDayPrices(folder, state, DAYS, { signal: new AbortController().signal, pid: 1 })) {
    for (let row = 0; row < day.rows; row += 1) {
      found.push(observationAt(day, row));
    }
  }
  return found.sort(byProduct);
}

function expected(products: readonly Product[]) {
  return products
    .map(({ crawl_date, retailer, category, department, sku, mrp, selling_price, discount_pct, currency }) => ({
      ...{ day: crawl_date, retailer, category, department, sku },
      ...{ mrp, selling_price, discount_pct, currency },
    }))
    .sort(byProduct);
}

function byProduct(a: { day: string; sku: string }, b: { day: string; sku: string }): number {
  return `${a.day}${a.sku}` < `${b.day}${b.sku}` ? -1 : 1;
}
