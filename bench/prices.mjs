// Every command that reads a folder, over a synced year of 1,000,000 rows.
import { rm, writeFile } from "node:fs/promises";
import { CATALOG } from "./catalog.mjs";
import { measure } from "./side-by-side.mjs";
import { mebibytes, median, printTable, ratio } from "./table.mjs";
import { DAYS, dayAt, ROWS_A_DAY, retailerOf, skuOf, writeDay, writeYear } from "./year.mjs";

const RUNS = Number(process.env.RUNS ?? 5);
/** Another build, such as the `dist/catalog.js` of an earlier commit: each question is asked of both in turns. */
const { BEFORE } = process.env;
/** What no question may take on idle cores: bytes, and seconds at the first use of a folder. */
const MOST = { firstSeconds: 2, peak: 250_000_000 };
const VIEWS = ["rows", "latest", "prices_daily", "changes", "days", "combinations"];

/** Which products are crawled: the same ones each day, or a few of many; and the seconds that no question may take. */
const YEARS = [
  { title: "the same 2,740 products each day", products: ROWS_A_DAY, seconds: 0.35 },
  { title: "2,740 of 50,000 products each day", products: 50_000, seconds: 0.5 },
];

export async function run({ folder }) {
  for (const { title, products, seconds: most } of YEARS) {
    const rows = `${folder}/year-of-${products}`;
    await writeYear(rows, products);
    const basket = `${folder}/basket.csv`;
    const lines = Array.from({ length: 20 }, (_, product) => `${skuOf(product * 7)},${product + 1}\n`);
    await writeFile(basket, `sku,quantity\n${lines.join("")}`);
    const bare = await medians(() => measured(folder, ["-e", "0"]));
    const results = [["node -e 0", bare]];
    const tool = (...args) => [CATALOG, ...args];
    const movers = tool("movers", rows, "--since", "latest-7d");
    results.push(["movers, first use of the folder", await measured(folder, movers)]);
    const questions = [
      ["movers --since latest-7d", movers],
      ["movers --only new_low", tool("movers", rows, "--only", "new_low")],
      ["history SKU", tool("history", skuOf(7), rows)],
      ["history --search, 1 product", tool("history", "--search", "number 1007,", rows)],
      ["report --html", tool("report", rows, "--html", `${folder}/report.html`)],
      ["report --text", tool("report", rows, "--text")],
      ["movers --group-by brand", tool("movers", rows, "--group-by", "brand")],
      ["diff", tool("diff", rows, "--from", dayAt(200), "--to", dayAt(350))],
      ["diff --strict-days", tool("diff", rows, "--strict-days", "--from", dayAt(DAYS - 8), "--to", dayAt(DAYS - 1))],
      ["coverage", tool("coverage", rows)],
      ["coverage --group-by day", tool("coverage", rows, "--group-by", "day")],
      ["coverage --group-by brand", tool("coverage", rows, "--group-by", "brand")],
      ["coverage --group-by retailer,day", tool("coverage", rows, "--group-by", "retailer,day")],
      ["latest", tool("latest", rows)],
      ["latest --gone", tool("latest", rows, "--gone")],
      ["latest --group-by brand", tool("latest", rows, "--group-by", "brand")],
      ["latest --group-by category --by week", tool("latest", rows, "--group-by", "category", "--by", "week")],
      ["compare", tool("compare", rows)],
      ["why", tool("why", retailerOf(7), skuOf(7), rows)],
      ["index of 20 products", tool("index", basket, rows)],
      ...VIEWS.map((view) => [`sql, the rows of ${view}`, tool("sql", `select count(*) from ${view}`, rows)]),
    ];
    for (const [name, args] of questions) {
      results.push([name, ...(await inTurns(folder, args))]);
    }
    await writeDay(rows, DAYS - 1, products, "changed");
    results.push(["movers after a sync of one day", await measured(folder, movers)]);
    printTable(
      `Prices of 1,000,100 rows, ${title}`,
      [
        ...["command", "seconds", "CPU seconds", "CPU of node -e 0", "peak memory", `over ${most} s or 250 MB`],
        ...(BEFORE === undefined ? [] : ["before: seconds", "CPU seconds", "peak memory"]),
      ],
      results.map(([name, { seconds, cpu, peak }, before]) => [
        ...[name, seconds.toFixed(2), cpu.toFixed(2)],
        ...[`${ratio(cpu, bare.cpu)} x`, mebibytes(peak * 1024)],
        [
          seconds > (/first use|after a sync/.test(name) ? MOST.firstSeconds : most) && "seconds",
          peak * 1024 > MOST.peak && "memory",
        ]
          .filter(Boolean)
          .join(", "),
        ...(before === undefined
          ? Array(BEFORE === undefined ? 0 : 3).fill("")
          : [before.seconds.toFixed(2), before.cpu.toFixed(2), mebibytes(before.peak * 1024)]),
      ]),
    );
    await rm(rows, { recursive: true });
  }
}

/** Medians of the tool and, unless it refuses the command, of the other build. */
async function inTurns(folder, args) {
  const before = [];
  const own = await medians(async () => {
    if (BEFORE !== undefined) {
      before.push(await measured(folder, [BEFORE, ...args.slice(1)]).catch(() => undefined));
    }
    return await measured(folder, args);
  });
  return before.length === 0 || before.includes(undefined) ? [own] : [own, mediansOf(before)];
}

async function medians(run) {
  const runs = [];
  for (let count = 0; count < RUNS; count += 1) {
    runs.push(await run());
  }
  return mediansOf(runs);
}

function mediansOf(runs) {
  const of = (what) => median(runs.map((one) => one[what]));
  return { seconds: of("seconds"), cpu: of("cpu"), peak: of("peak") };
}

function measured(folder, args) {
  return measure([process.execPath, ...args], { folder });
}
