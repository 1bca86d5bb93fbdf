import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { WebSocket } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { coveragePage } from "../../src/commands/coverage/views/coverage-page.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { COMBINATION, META } from "../helpers/envelopes.ts";

const HOSTILE = `<img src=x onerror="document.title='broken'">`;

const DATA = [
  { ...COMBINATION, retailer: "zeta", matching_rows: 9, corpus_rows: 1_000 },
  { ...COMBINATION, retailer: "acme", matching_rows: 1_200, corpus_rows: 1_200, earliest_date: "2026-01-02" },
  { ...COMBINATION, retailer: "acme", department: HOSTILE, category: HOSTILE, matching_rows: 80, corpus_rows: 80 },
];

/** A real browser with one page open, driven over the DevTools protocol. */
interface Browser {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Value of a JavaScript expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Addresses that the page asked for. */
  requests: string[];
}

/** A hostile retailer has rows on the second day, and zeta on both. */
const DAYS = [
  { day: "2026-01-01", rcd: "zeta:sofas:home", rows: 900 },
  { day: "2026-01-02", rcd: "zeta:sofas:home", rows: 1 },
  { day: "2026-01-02", rcd: `${HOSTILE}:sofas:home`, rows: 1_280 },
];

const ROWS = `[...document.querySelectorAll("#retailers > :not([hidden])")].map((retailer) =>
  [retailer.open, ...[...retailer.querySelectorAll("tbody tr:not([hidden]) td:nth-child(3)")].map((cell) => cell.textContent)])`;

test("folds the combinations by retailer, and sorts both", async () => {
  const { evaluate } = await open();
  const sorted = async (order: string) => {
    await evaluate(
      `const s = document.querySelector("#sort"); s.value = "${order}"; s.dispatchEvent(new Event("change"))`,
    );
    return await evaluate(ROWS);
  };
  expect(await evaluate(ROWS)).toEqual([
    [false, "80", "1,200"],
    [false, "9 of 1,000"],
  ]);
  expect(await sorted("rows")).toEqual([
    [false, "1,200", "80"],
    [false, "9 of 1,000"],
  ]);
});

test("shows what is searched for, unfolded and counted", async () => {
  const { evaluate } = await open();
  const searched = async (text: string) => {
    await evaluate(
      `{ const s = document.querySelector("#search"); s.value = "${text}"; s.dispatchEvent(new Event("input")) }`,
    );
    return [await evaluate(ROWS), await evaluate("document.querySelector('#found').textContent")];
  };
  expect(await searched("LAMPS acme")).toEqual([[[true, "1,200"]], "1 of 3 combinations"]);
  expect(await searched("sofa")).toEqual([[], "0 of 3 combinations"]);
  expect(await searched("")).toEqual([
    [
      [false, "80", "1,200"],
      [false, "9 of 1,000"],
    ],
    "3 combinations",
  ]);
});

test("unfolds the retailer that a link of the heat map points to", async () => {
  const { evaluate } = await open();
  await evaluate(
    `document.querySelector('table.map a[href="#r-zeta"]').click(); new Promise((done) => setTimeout(done))`,
  );
  await expect.poll(() => evaluate("document.querySelector('#r-zeta').open")).toBe(true);
});

test("tells the days and rows of the cell that is pointed at, and shades it by its rows", async () => {
  const { evaluate } = await open();
  await evaluate(
    `document.querySelectorAll(".map .rows")[1].dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))`,
  );
  expect(await evaluate("document.querySelector('#tip').textContent")).toBe("zeta, 2026-01-01: 900 rows");
  expect(
    await evaluate(
      `[...document.querySelectorAll(".map .rows")].map((cell) => cell.style.getPropertyValue("--share"))`,
    ),
  ).toEqual(["1.000", "0.839", "0.028"]);
});

test.each([390, 1280])(
  "no part of the page is wider than a window of %d pixels, and no word is cut by letters",
  async (width) => {
    const { evaluate, send } = await open();
    await send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
    await evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    expect(await evaluate("document.documentElement.scrollWidth")).toBe(width);
    const narrowest = await evaluate(
      `Math.min(...[...document.querySelectorAll("details tbody td:nth-child(-n+2)")].map((cell) => cell.clientWidth))`,
    );
    expect(narrowest).toBeGreaterThan(100);
  },
);

test("shows crawled text as text and asks for nothing", async () => {
  const { evaluate, requests } = await open();
  expect(await evaluate("[document.images.length, document.title, document.querySelector('.map').innerText]")).toEqual([
    0,
    "Coverage",
    expect.stringContaining(HOSTILE),
  ]);
  expect(requests.filter((address) => !/^(file|data):/.test(address))).toEqual([]);
});

test("is readable in light and in dark", async () => {
  const { evaluate, send } = await open();
  const colours = async (scheme: string) => {
    await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    return await evaluate(
      "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))",
    );
  };
  expect([await colours("light"), await colours("dark")]).toEqual([
    ["rgb(27, 31, 36)", "rgb(255, 255, 255)"],
    ["rgb(230, 234, 239)", "rgb(14, 18, 23)"],
  ]);
});

test("draws the days of a combination on the time line", async () => {
  const { evaluate } = await open();
  const range = await evaluate(`(() => { document.querySelector("details").open = true;
    const row = [...document.querySelectorAll("tr .range")].find((bar) => bar.closest("tr").textContent.includes("1,200"));
    const track = row.parentElement.getBoundingClientRect(); const bar = row.getBoundingClientRect();
    return [(bar.left - track.left) / track.width, bar.width / track.width].map((share) => Math.round(share * 100)); })()`);
  expect(range).toEqual([50, 50]);
});

async function open(): Promise<Browser> {
  const folder = await temporaryFolder();
  const file = join(folder, "page.html");
  const summary = { ...META.coverage, combinations: DATA.length };
  await writeFile(
    file,
    coveragePage(
      { combinations: DATA, summary, days: DAYS },
      { filters: HOSTILE, service: "https://api.example", now: 0 },
    ),
  );
  const socket = new WebSocket(await devTools(folder));
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const browser = connect(socket);
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const page = browser.inSession(String(sessionId));
  await page.send("Page.enable");
  await page.send("Network.enable");
  const loaded = browser.next("Page.loadEventFired");
  await page.send("Page.navigate", { url: pathToFileURL(file).href });
  await loaded;
  return page;
}

/** Starts the browser and reads the address of its DevTools. */
async function devTools(folder: string): Promise<string> {
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
  const child: ChildProcess = spawn(
    process.env.CHROMIUM ?? "chromium",
    [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-sync", ...quiet],
      ...["--remote-debugging-port=0", `--user-data-dir=${join(folder, "profile")}`],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const closed = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill();
    await closed;
  });
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr?.resume();
      return address;
    }
  }
  throw new Error("the browser did not start");
}

function connect(socket: WebSocket) {
  const replies = new Map<number, (result: Record<string, unknown>) => void>();
  const events = new Map<string, () => void>();
  const requests: string[] = [];
  let id = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    replies.get(message.id)?.(message.result ?? message.error);
    events.get(message.method)?.();
    if (message.method === "Network.requestWillBeSent") {
      requests.push(message.params.request.url);
    }
  });
  const inSession = (sessionId: string | undefined): Browser => {
    const send = (method: string, params: object = {}) =>
      new Promise<Record<string, unknown>>((resolve) => {
        id += 1;
        replies.set(id, resolve);
        socket.send(JSON.stringify({ id, method, params, sessionId }));
      });
    const evaluate = async (expression: string) => {
      const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true });
      expect(exceptionDetails).toBeUndefined();
      return (result as { value: unknown }).value;
    };
    return { send, evaluate, requests };
  };
  const next = (method: string) => new Promise<void>((resolve) => events.set(method, resolve));
  return { ...inSession(undefined), inSession, next };
}
