import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

let chrome: Browser;

beforeAll(async () => {
  chrome = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});

afterAll(async () => {
  await chrome.close();
});

const LONG = "Stehlampe-mit-Leseleuchte-dimmbar-in-fünf-Lichtfarben-und-mit-Fernbedienung 高品質 <b>";

/** Products of one title and two currencies, with prices of one digit and of eight, a new low, and one single day. */
const ROWS = [
  ...[25, 24.5, 9].map((price, day) => ["a", "EUR", price, day] as const),
  ...[12_345_678, 14_000_000.5].map((price, day) => ["b", "JPY", price, 5 * day] as const),
  ["c", "EUR", 7, 3] as const,
  ["d", "EUR", 8, 0] as const,
].map(([sku, currency, selling_price, day]) =>
  product({ sku, currency, selling_price, title: `${LONG} ${sku}`, crawl_date: `2026-01-0${1 + day}` }),
);

/** The pages of `history --html`, `coverage --html` and `report --html` of the rows. */
async function pages(): Promise<Record<string, string>> {
  const folder = await syncedFolder(ROWS);
  const cwd = await temporaryFolder();
  for (const args of [
    ["history", "--search", "stehlampe", folder, "--html", "./history.html"],
    ["coverage", "--from", folder, "--html", "./coverage.html"],
    ["report", folder, "--max-age", "3d", "--html", "./report.html"],
  ]) {
    expect(await runInProcess(args, { cwd })).toMatchObject({ code: 0 });
  }
  const address = (name: string) => pathToFileURL(join(cwd, `${name}.html`)).href;
  return { history: address("history"), coverage: address("coverage"), report: address("report") };
}

/** Labels of the charts that stick out of their chart, or are lower than 11 pixels. */
const BAD_LABELS = `[...document.querySelectorAll("svg text")].filter((text) => {
  const label = text.getBoundingClientRect(), chart = text.closest("svg").getBoundingClientRect();
  return label.height < 11 || label.left < chart.left || label.right > chart.right || label.top < chart.top ||
    label.bottom > chart.bottom + 1;
}).map((text) => text.textContent)`;

/** Parts of the page that have more than their width, and tables that have to be scrolled. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll(".scroll")]
  .filter((element) => element.scrollWidth > element.clientWidth).map((element) => element.outerHTML.slice(0, 80))`;

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each([390, 1280])("every page fits a window of %d pixels, is readable and clean for axe", async (width) => {
    for (const [name, address] of Object.entries(await pages())) {
      const page = await chrome.newPage({ colorScheme, viewport: { width, height: 900 } });
      const [requests, errors]: [string[], string[]] = [[], []];
      page.on("request", (request) => requests.push(request.url()));
      page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.goto(address);
      await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
      await page.evaluate(axe.source);
      const violations = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
      );
      const found = [await page.evaluate(TOO_WIDE), await page.evaluate(BAD_LABELS), violations];
      expect([name, ...found]).toEqual([name, [], [], []]);
      expect({ requests: requests.filter((url) => !/^(file|data):/.test(url)), errors }).toEqual({
        requests: [],
        errors: [],
      });
      await page.close();
    }
  });

  test.each([390, 1280])("a report fits a window of %d pixels where one line of each kind is", async (width) => {
    const page = await chrome.newPage({ colorScheme, viewport: { width, height: 900 } });
    await page.goto((await pages()).report ?? "");
    const lists = await page
      .locator("section")
      .evaluateAll((sections) =>
        sections.map((section) => [section.querySelector("h2")?.id, section.querySelectorAll("tbody tr").length]),
      );
    expect(lists).toEqual([
      ["retailers", 1],
      ["drops", 1],
      ["rises", 1],
      ["new_lows", 1],
      ["new_products", 1],
      ["gone_products", 1],
      ["brands", 1],
    ]);
    // The line of prices, its last point and the titles of shops are in view.
    const seen = await page.evaluate(`[...document.querySelectorAll("td:first-child a, .prices, .prices circle")]
      .map((part) => part.getBoundingClientRect())
      .filter(({ left, right, width }) => left >= 0 && right <= innerWidth && width > 0)`);
    expect(seen).toHaveLength(15);
    expect(await page.locator("script, b b").count()).toBe(0);
    await page.close();
  });

  test("a finger sees what a pointer does", async () => {
    const tips = { history: "7.00 EUR on 2026-01-04", coverage: "acme, 2026-01-04: 1 row" };
    const points = { history: 'circle[data-tip$="2026-01-04"]', coverage: "table.map tbody tr td:nth-child(5)" };
    const addresses = await pages();
    for (const name of ["history", "coverage"] as const) {
      const context = await chrome.newContext({ colorScheme, viewport: { width: 390, height: 900 }, hasTouch: true });
      const page = await context.newPage();
      await page.goto(addresses[name] ?? "");
      await page.locator(points[name]).first().tap({ force: true });
      expect(await page.locator("#tip").textContent()).toContain(tips[name]);
      expect(await page.locator("#tip").isVisible()).toBe(true);
      await page.locator("h1").tap();
      expect(await page.locator("#tip").isVisible()).toBe(false);
      await context.close();
    }
  });
});
