import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { quoteCommand } from "../../src/contract/values/quote-command.ts";
import { openIncident, updateIncident } from "../../src/service/store/manage-incidents.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { renderScreen, type Screen } from "../helpers/screen.ts";
import { startTestService, type TestService, type TestServiceOptions } from "../helpers/service.ts";
import { CTRL_C, CTRL_D, runInTerminal, SIZE, type TerminalOptions } from "../helpers/terminal.ts";
import {
  daysAgo,
  MORNING_BASKET,
  MORNING_QUESTIONS,
  MORNING_ROWS,
  settled,
  TRANSCRIPT_NOW,
  TRANSCRIPT_ROWS,
} from "../helpers/transcripts.ts";

interface Transcript extends Pick<TerminalOptions, "columns" | "env"> {
  args: readonly string[];
  /** What was run before, in the same folder, with the key on stdin. */
  earlier?: readonly (readonly string[])[];
  /** What happened to the service before. */
  prepare?: (service: TestService) => Promise<unknown>;
  /** What is typed; `KEY` stands for the key. */
  typed?: TerminalOptions["typed"];
  service?: TestServiceOptions;
  /** Of a long output, the lines that are kept. */
  kept?: number;
  /** Whether the clock of the tool stands at `TRANSCRIPT_NOW`. */
  isDated?: boolean;
}

const ROWS = [
  ...TRANSCRIPT_ROWS,
  product({
    sku: "NW-000017-BLK-LEFT-HANDED",
    retailer: "nordwind",
    category: "lamps",
    crawl_date: "2026-01-03",
    title: "Stehlampe „Élan“ mit Leseleuchte, dimmbar, fünf Lichtfarben, Fernbedienung – schwarz 高品質 👩‍👩‍👧",
    mrp: 1_234.5,
    selling_price: 999.99,
  }),
];

/** So few requests a window that an export has to wait in its midst. */
const SLOW: TestServiceOptions = { rateLimit: 3, windowSeconds: 600 };
const DATABASE = ["--database", "service.db"];
const CREATE_KEY = ["service", "keys", "create", "laptop", ...DATABASE];
const OPEN_INCIDENT = ["service", "incident", "open", "Slow answers", ...DATABASE];
const IDENTIFIED = ["--state", "identified", "--body", "A full disk"];
const IDENTIFY_INCIDENT = ["service", "incident", "update", "1", ...IDENTIFIED, ...DATABASE];

/** Loads a module that stops the clock before the tool begins. */
const STOPPED_CLOCK = { NODE_OPTIONS: `--import=data:text/javascript,Date.now=()=>${TRANSCRIPT_NOW}` };

/** Without the key of the environment, which goes before a stored one. */
const NO_KEY = { CATALOG_API_KEY: "" };

/** Two weeks of requests, some of which failed, and an incident that is not over. */
async function haveTrouble({ store }: TestService): Promise<void> {
  await store.addDayCounts(
    Array.from({ length: 14 }, (_, index) => ({
      date: daysAgo(index),
      operation: "catalog",
      requests: 100,
      failures: [0, 4, 30][index] ?? 0,
    })),
  );
  const incident = { title: "Slow answers", suite: "catalog-api", severity: "minor", body: "Pages are slow." } as const;
  const id = await openIncident(store, incident, new Date());
  const body =
    "The disk of the database is full; rows that were loaded since yesterday are missing until a larger one is there.";
  await updateIncident(store, id, { state: "identified", body }, new Date());
}

const TRANSCRIPTS: Readonly<Record<string, Transcript>> = {
  coverage: { args: ["coverage"], isDated: true },
  "coverage-narrow": { args: ["coverage"], columns: 60, isDated: true },
  "coverage-by-category": { args: ["coverage", "--group-by", "category"], isDated: true },
  "coverage-by-day": { args: ["coverage", "--group-by", "day"], isDated: true },
  "coverage-by-day-narrow": { args: ["coverage", "--group-by", "day"], columns: 60, isDated: true },
  "coverage-chart": { args: ["coverage", "--chart"] },
  "coverage-chart-narrow": { args: ["coverage", "--chart"], columns: 60 },
  "coverage-nothing": { args: ["coverage", "--date", "1999-01-01"] },
  "coverage-no-service": { args: ["coverage"], env: { CATALOG_BASE_URL: "" } },
  "coverage-unknown-retailer": { args: ["coverage", "--retailer", "nordwnd"] },
  sample: { args: ["sample"] },
  "sample-narrow": { args: ["sample"], columns: 60 },
  "sample-wide": { args: ["sample", "--wide", "--retailer", "casa-luz"] },
  "sample-card": { args: ["sample", "--card", "--category", "lamps"] },
  "sample-links": { args: ["sample", "--columns", "sku,title"], env: { VTE_VERSION: "7600" } },
  "sample-nothing": { args: ["sample", "--date", "1999-01-01"] },
  "export-to-file": { args: ["export", "-o", "rows.csv"] },
  "export-manifest": { args: ["export", "-o", "rows.csv", "--manifest"] },
  "export-to-terminal": { args: ["export", "--max-rows", "2"] },
  "export-parquet-to-terminal": { args: ["export", "-f", "parquet"] },
  "export-nothing": { args: ["export", "-o", "rows.csv", "--date", "1999-01-01"] },
  "export-dry-run": { args: ["export", "--dry-run"] },
  "export-interrupted": {
    args: ["export", "-o", "rows.csv", "--page-size", "1", "--concurrency", "1"],
    service: SLOW,
    typed: [{ after: "for the rate limit", text: CTRL_C }],
  },
  "export-mistyped-flag": { args: ["export", "--retailr", "nordwind"] },
  sync: { args: ["sync", "copy"] },
  "sync-again": { args: ["sync", "copy"], earlier: [["sync", "copy"]] },
  verify: { args: ["verify", "rows.csv"], earlier: [["export", "-o", "rows.csv", "--manifest"]] },
  "verify-without-manifest": { args: ["verify", "rows.csv"], earlier: [["export", "-o", "rows.csv"]] },
  diff: { args: ["diff", "--from", "2026-01-01", "--to", "2026-01-03"] },
  "diff-against": {
    args: ["diff", "--against", "copy", "--from", "2026-01-01", "--to", "2026-01-03"],
    earlier: [["sync", "copy"]],
  },
  "diff-narrow": { args: ["diff", "--from", "2026-01-01", "--to", "2026-01-03"], columns: 60 },
  "auth-login": {
    args: ["auth", "login"],
    env: NO_KEY,
    typed: [{ after: "API key for", text: "KEY\r" }],
  },
  "auth-login-unknown-key": {
    args: ["auth", "login"],
    env: NO_KEY,
    typed: [{ after: "API key for", text: `${"k".repeat(43)}\r` }],
  },
  "auth-login-wrong-key": {
    args: ["auth", "login"],
    env: NO_KEY,
    typed: [{ after: "API key for", text: "sesame\r" }],
  },
  "auth-login-ctrl-c": {
    args: ["auth", "login"],
    env: NO_KEY,
    typed: [{ after: "API key for", text: `KEY${CTRL_C}` }],
  },
  "auth-login-ctrl-d": {
    args: ["auth", "login"],
    env: NO_KEY,
    typed: [{ after: "API key for", text: CTRL_D }],
  },
  "auth-status": { args: ["auth", "status"] },
  "auth-logout": { args: ["auth", "logout"], env: NO_KEY, earlier: [["auth", "login"]] },
  "auth-logout-nothing": { args: ["auth", "logout"] },
  explain: { args: ["explain"] },
  "explain-code": { args: ["explain", "invalid_cursor"] },
  status: { args: ["status"] },
  "status-trouble": { args: ["status"], prepare: haveTrouble },
  "status-narrow": { args: ["status"], columns: 60, prepare: haveTrouble },
  "completion-bash": { args: ["completion", "bash"], kept: 6 },
  "service-start": {
    args: ["service", "start", "--port", "0", ...DATABASE],
    earlier: [CREATE_KEY],
    typed: [{ after: "listening on", text: CTRL_C }],
  },
  "service-start-without-key": {
    args: ["service", "start", "--port", "0", ...DATABASE],
    typed: [{ after: "keys create NAME", text: CTRL_C }],
  },
  "service-load": { args: ["service", "load", "rows.ndjson", ...DATABASE] },
  "service-keys-create": { args: CREATE_KEY },
  "service-keys-list": { args: ["service", "keys", "list", ...DATABASE], earlier: [CREATE_KEY] },
  "service-keys-revoke": { args: ["service", "keys", "revoke", "laptop", ...DATABASE], earlier: [CREATE_KEY] },
  "service-incident-open": { args: OPEN_INCIDENT },
  "service-incident-update": { args: IDENTIFY_INCIDENT, earlier: [OPEN_INCIDENT] },
  "service-incident-resolve": {
    args: ["service", "incident", "resolve", "1", ...DATABASE],
    earlier: [OPEN_INCIDENT, IDENTIFY_INCIDENT],
  },
  help: { args: ["help"] },
  "help-export": { args: ["help", "export"] },
  "help-export-narrow": { args: ["export", "--help"], columns: 60, kept: 30 },
  "help-exit-codes": { args: ["help", "exit-codes"] },
  "help-environment": { args: ["help", "environment"] },
  "mistyped-command": { args: ["covrage"] },
  ...Object.fromEntries(
    Object.entries(MORNING_QUESTIONS).map(([name, args]) => [
      name,
      { args, columns: 80, isDated: true, earlier: [["sync", "rows"]], service: { rows: MORNING_ROWS } },
    ]),
  ),
};

describe("what a person at a terminal sees of", () => {
  test.each(Object.entries(TRANSCRIPTS))("%s is as reviewed", async (name, transcript) => {
    const { args, env, typed = [], earlier = [], kept, columns = SIZE.columns, isDated = false } = transcript;
    const service = await startTestService({ rows: ROWS, ...transcript.service });
    await transcript.prepare?.(service);
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "rows.ndjson"), ROWS.map((row) => `${JSON.stringify(row)}\n`).join(""));
    await writeFile(join(cwd, "basket.csv"), MORNING_BASKET);
    const options = {
      cwd,
      env: {
        CATALOG_BASE_URL: service.url,
        CATALOG_API_KEY: service.key,
        // The same length on each machine, so that lines break at the same places.
        XDG_CONFIG_HOME: "/proc/self/cwd/config",
        // Whole, however long.
        PAGER: "",
        ...(isDated && STOPPED_CLOCK),
        ...env,
      },
    };
    for (const before of earlier) {
      expect(await runCatalog(before, { ...options, stdin: service.key })).toMatchObject({ code: 0 });
    }
    const { code, output, isRestored } = await runInTerminal(args, {
      ...options,
      columns,
      typed: typed.map(({ after, text }) => ({ after, text: text.replace("KEY", service.key) })),
    });

    expect(output).not.toContain(service.key.slice(0, 8));
    const screen = renderScreen(settled(output, { url: service.url, cwd }), { columns, rows: SIZE.rows });
    expect({ leftovers: screen.leftovers, isRestored }).toEqual({ leftovers: [], isRestored: true });
    await expect(transcriptOf(transcript, screen, { code, kept })).toMatchFileSnapshot(
      `../transcripts/terminal/${name}.txt`,
    );
  });
});

function transcriptOf(
  { args, columns = SIZE.columns, env = {}, typed = [] }: Transcript,
  { lines, styles }: Screen,
  { code, kept = Number.POSITIVE_INFINITY }: { code: number; kept?: number | undefined },
): string {
  const circumstances = [
    ...(columns === SIZE.columns ? [] : [`${columns} columns`]),
    ...Object.entries(env).map(([variable, value]) => `${variable}=${value}`),
    ...typed.map(({ after, text }) => `after “${after}” is typed ${typedName(text)}`),
  ];
  return [
    `$ ${quoteCommand(["catalog", ...args])}`,
    ...circumstances.map((circumstance) => `# ${circumstance}`),
    ...(lines.length > kept ? [...lines.slice(0, kept), "[…]", ""] : lines),
    ...(styles.length === 0 ? [] : ["--- styles", ...styles]),
    `--- exit code ${code}`,
    "",
  ].join("\n");
}

function typedName(text: string): string {
  return text.replace(CTRL_C, " Ctrl-C").replace(CTRL_D, " Ctrl-D").replace("\r", " Enter").trim();
}

describe("rows that are read in the terminal of the progress line", () => {
  test.each(["cat", "head -1"])("by `%s` stand alone in their lines", async (pipedTo) => {
    const service = await startTestService({ rows: ROWS.slice(0, 3), rateLimit: 1, windowSeconds: 2 });
    const { output } = await runInTerminal(["export", "--page-size", "2"], {
      columns: 600,
      pipedTo,
      env: { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: service.key },
    });
    const begin = output.indexOf("{");

    expect(output.slice(0, begin)).toContain("for the rate limit");
    expect(output.slice(begin)).not.toContain("for the rate limit");
    const { lines, leftovers } = renderScreen(output, { columns: 600, rows: SIZE.rows });
    const skus = lines.map((line) => (line === "" ? "" : (JSON.parse(line) as { sku: string }).sku));
    expect({ skuCount: skus.slice(0, -1).length, leftovers }).toEqual({
      skuCount: pipedTo === "cat" ? 3 : 1,
      leftovers: [],
    });
  });
});

describe("the screen that the transcripts are read from", () => {
  const size = { columns: 6, rows: 3 };

  test.each([
    ["a line is written over and its rest erased", "gone\rno\x1b[K\r\n", ["no", ""]],
    [
      "a line that is too long is broken, and taken back as two",
      "12345678\x1b[2K\x1b[1A\x1b[2K\x1b[Gok\r\n",
      ["ok", ""],
    ],
    ["a wide character does not stand on the edge", "12345寿\r\n", ["12345↩", "寿", ""]],
  ])("%s", (_, output, lines) => {
    expect(renderScreen(output, size).lines).toEqual(lines);
  });

  test.each([
    ["the cursor is hidden", "\x1b[?25lok\r\n"],
    ["text stays bold red", "\x1b[1;31mok\r\n"],
    ["text stays linked to http://a", "\x1b]8;;http://a\x1b\\ok\r\n"],
    ["the line is not ended", "ok"],
  ])("%s: that is told", (leftover, output) => {
    expect(renderScreen(output, size).leftovers).toEqual([leftover]);
  });

  test.each(["\x1b[2J", "\x1b[5m", "\x1b]0;title\x07", "\x1b7", "\x08"])("%j is refused", (sequence) => {
    expect(() => renderScreen(sequence, size)).toThrow(/unknown/);
  });
});
