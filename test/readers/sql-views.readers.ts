import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";

type Row = Record<string, unknown>;

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  folder = join(await temporaryFolder(onEnd), "rows");
  expect((await runCatalog(["sync", folder, "--demo"])).code).toBe(0);
});

async function answer(args: readonly string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await runCatalog([...args, "-f", "ndjson"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const pick = (rows: readonly Row[], names: readonly string[]) =>
  rows.map((row) => names.map((name) => row[name])).sort(byText);
const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
const percentOf = (before: number, after: number) =>
  before > 0 ? Number((((after - before) / before) * 100).toFixed(6)) : null;

describe("in the folder of the demo", () => {
  const sql = (query: string) => answer(["sql", query, folder]);
  const tool = (...args: string[]) => answer([...args, "-q"].toSpliced(1, 0, folder));
  const dayFromEnd = async (days: number) => {
    const listed = await sql("select crawl_date from days order by crawl_date desc");
    return String(listed[Math.min(days, listed.length - 1)]?.crawl_date);
  };

  test("prices_daily and changes are what history says of each day", async () => {
    const products = await sql("select distinct sku from latest order by hash(sku) limit 40");
    const skus = products.map(({ sku }) => String(sku));
    const within = `sku in (${skus.map((sku) => `'${sku}'`).join(", ")})`;
    const all = await answer(["history", ...skus, folder]);
    const history = all.filter(({ suspect }) => suspect !== true);
    const columns = "retailer sku crawl_date department category currency mrp selling_price discount_pct".split(" ");
    expect(pick(await sql(`from prices_daily where ${within}`), columns)).toEqual(pick(history, columns));

    const steps = history.slice(1).flatMap((now, index) => {
      const before = history[index] as Row;
      const isSameProduct = now.retailer === before.retailer && now.sku === before.sku;
      const hasChanged = now.selling_price !== before.selling_price || now.currency !== before.currency;
      return isSameProduct && hasChanged
        ? [{ ...now, previous_date: before.crawl_date, previous_price: before.selling_price }]
        : [];
    });
    const changed =
      "retailer sku crawl_date category currency selling_price percent previous_date previous_price".split(" ");
    const changes = await sql(`from changes where ${within}`);
    expect(pick(changes, changed)).toEqual(pick(steps, changed));
    expect(changes.length).toBeGreaterThan(6);
    for (const { selling_price, previous_price, change, currency, previous_currency } of changes) {
      const exact = Number((Number(selling_price) - Number(previous_price)).toFixed(6));
      expect(change).toBe(currency === previous_currency ? exact : null);
    }
  });

  test("latest is what movers says of now", async () => {
    const since = await dayFromEnd(5);
    const movers = await tool("movers", "--since", since, "-n", "100000");
    const latest = await sql(`
      select kind.value as kind, now.*, now.crawl_date as date, old.price as before_selling_price
      from latest now join (select retailer, sku, max_by(selling_price, crawl_date) as price,
        max_by(currency, crawl_date) as currency from prices_daily where crawl_date <= '${since}' group by all) old
        using (retailer, sku), (values ('drop'), ('rise')) kind(value)
      where now.crawl_date > '${since}' and now.currency = old.currency and old.price > 0
        and if(kind.value = 'drop', now.selling_price < old.price, now.selling_price > old.price)`);
    const expected = latest.map((row) => ({
      ...row,
      percent: percentOf(Number(row.before_selling_price), Number(row.selling_price)),
    }));
    const columns =
      "kind retailer sku date category title brand url currency mrp selling_price discount_pct percent before_selling_price".split(
        " ",
      );
    const moved = movers.filter(({ kind }) => kind === "drop" || kind === "rise");
    expect(pick(expected, columns)).toEqual(pick(moved, columns));
    expect(moved.length).toBeGreaterThan(0);
  });

  test("latest is the newest side of diff by last known prices", async () => {
    const [from, to] = [await dayFromEnd(4), await dayFromEnd(0)];
    const differences = (await tool("diff", "--max-age", "none", "--from", from, "--to", to)).filter(
      ({ change }) => change !== "vanished",
    );
    const columns = "retailer sku to_seen to_selling_price to_currency".split(" ");
    const newest = await sql(`select retailer, sku, crawl_date as to_seen, selling_price as to_selling_price,
      currency as to_currency from latest where crawl_date > '${from}'`);
    const known = new Set(pick(newest, columns).map((row) => JSON.stringify(row)));
    expect(pick(differences, columns).filter((row) => !known.has(JSON.stringify(row)))).toEqual([]);
    const before = await sql(`select retailer, sku, max_by(selling_price, crawl_date) as price,
      max_by(currency, crawl_date) as currency from prices_daily where crawl_date <= '${from}' group by all`);
    const priceBefore = new Map(
      before.map((row) => [`${row.retailer} ${row.sku}`, [row.price, row.currency].join(" ")]),
    );
    const moved = newest.filter(
      (row) => priceBefore.get(`${row.retailer} ${row.sku}`) !== [row.to_selling_price, row.to_currency].join(" "),
    );
    const differing = new Set(differences.map((row) => `${row.retailer} ${row.sku}`));
    expect(moved.filter((row) => !differing.has(`${row.retailer} ${row.sku}`))).toEqual([]);
    expect(moved.length).toBeGreaterThan(0);
  });
});
