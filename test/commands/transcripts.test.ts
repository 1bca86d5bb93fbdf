import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { type InProcessOptions, runInProcess } from "../helpers/in-process.ts";
import { onceEach } from "../helpers/once-each.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import {
  firstLines,
  MORNING_BASKET,
  MORNING_QUESTIONS,
  MORNING_ROWS,
  settled,
  TRANSCRIPT_NOW,
  TRANSCRIPT_ROWS,
} from "../helpers/transcripts.ts";

const TRANSCRIPTS = {
  "coverage-table": ["coverage", "-f", "table"],
  "coverage-markdown": ["coverage", "-f", "markdown", "--sort", "rows"],
  "coverage-csv": ["coverage", "-f", "csv", "--end-date", "2026-01-05"],
  "coverage-by-category": ["coverage", "-f", "table", "--group-by", "category"],
  "coverage-unknown-retailer": ["coverage", "--retailer", "nordwnd", "--date=2026-01-01"],
  "coverage-unknown-triple": ["coverage", "--rcd", "casa-luz:chairs:garden,nordwind:lamp:home"],
  "coverage-unknown-json": ["coverage", "--retailer", "nordwnd", "--error-format", "json"],
  "coverage-by-day": ["coverage", "--group-by", "day", "-f", "table"],
  "coverage-nothing": ["coverage", "-f", "table", "--date", "1999-01-01"],
  "sample-table": ["sample", "-f", "table", "--columns", "retailer,sku,title,selling_price,color"],
  "coverage-chart": ["coverage", "--chart", "--group-by", "retailer"],
  "sample-card": ["sample", "--card", "--retailer", "casa-luz", "--columns", "sku,title,brand,color,selling_price"],
  "sample-tsv": ["sample", "-f", "tsv", "--columns", "sku,title,brand,color,selling_price"],
  "export-ndjson": ["export", "--retailer", "casa-luz"],
  "export-csv": ["export", "-f", "csv", "--columns", "sku,title,brand,color,selling_price,crawl_date"],
  "export-json": ["export", "-f", "json", "--columns", "sku,selling_price", "--max-rows", "2"],
  "export-dry-run": ["export", "--dry-run", "--max-rate", "1"],
  "unknown-flag": ["export", "--retailr", "nordwind"],
  "unknown-column": ["sample", "--columns", "sku,tilte"],
  "wrong-format": ["auth", "status", "-f", "jsn"],
  "wrong-day": ["export", "--date", "yestrday"],
  "no-subcommand": ["service", "keys"],
  "wrong-date": ["export", "--start-date", "2026-02-30"],
  "diff-table": ["diff", "--from", "2026-01-01", "--to", "2026-01-03", "-f", "table"],
  "diff-ndjson": ["diff", "--from", "2026-01-01", "--to", "2026-01-03"],
  "diff-day-without-rows": ["diff", "--from", "2026-01-01", "--to", "2026-01-02", "--error-format", "json"],
  "diff-against": ["diff", "--against", "copy", "--from", "2026-01-01", "--to", "2026-01-03", "-f", "table"],
  "diff-against-unknown-day": ["diff", "--against", "copy", "--from", "2026-01-03", "--to", "2026-02-01"],
  "diff-against-unknown-retailer": [
    ...["diff", "--against", "copy", "--from", "2026-01-01", "--to", "2026-01-03", "--retailer", "nordwnd"],
  ],
  sync: ["sync", "copy"],
  "sync-again": ["sync", "copy"],
  verify: ["verify", "rows.csv"],
  "verify-without-manifest": ["verify", "rows.csv"],
  status: ["status"],
  "status-json": ["status", "-f", "json"],
  "auth-status": ["auth", "status"],
  explain: ["explain"],
  "explain-code": ["explain", "invalid_cursor"],
  "explain-unknown": ["explain", "rate_limit"],
  "help-exit-codes": ["help", "exit-codes"],
  "completion-bash": ["completion", "bash"],
  "service-keys-list": ["service", "keys", "list", "-f", "table", "--database", "service.db"],
} as const;

/** What was run before, in the same folder. */
const EARLIER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "diff-against": [["sync", "copy"]],
  "diff-against-unknown-day": [["sync", "copy"]],
  "diff-against-unknown-retailer": [["sync", "copy"]],
  "sync-again": [["sync", "copy"]],
  verify: [["export", "-o", "rows.csv", "--manifest"]],
  "verify-without-manifest": [["export", "-o", "rows.csv"]],
  "service-keys-list": [
    ["service", "keys", "create", "laptop", "--database", "service.db"],
    ["service", "keys", "create", "shop", "--database", "service.db", "--team", "sales", "--scope", "catalog:sample"],
    ["service", "keys", "revoke", "laptop", "--database", "service.db"],
  ],
};

/** The files and folders in the folder of a run. */
const FILES: ReadonlySet<string> = new Set(["copy", "rows", "rows.csv", "basket.csv", "service.db"]);

/** Runs a command in a folder, as if it were the working folder. */
async function runIn(cwd: string, args: readonly string[], options: InProcessOptions) {
  const isFile = (word: string, index: number) => FILES.has(word) && args[index - 1] !== "--sort";
  const words = args.map((word, index) => (isFile(word, index) ? `./${word}` : word));
  return await runInProcess(words, { ...options, cwd });
}

/** Of a long output, the lines that are kept. */
const KEPT_LINES: Readonly<Record<string, number>> = { "status-json": 24, "completion-bash": 6 };

async function expectAsReviewed(name: string, args: readonly string[], service: TestService, cwd: string) {
  const { code, stdout, stderr } = await runIn(cwd, args, { service, now: () => TRANSCRIPT_NOW });
  const shown = firstLines(stdout, KEPT_LINES[name]);
  const transcript = `$ catalog ${args.join(" ")}\n${shown}\n--- stderr\n${stderr}--- exit code ${code}\n`;
  await expect(settled(transcript, { url: service.url, cwd })).toMatchFileSnapshot(`../transcripts/${name}.txt`);
}

const onEnd = afterAllTests();

/** Commands that show the limits of the service or its requests so far. */
const SHOWS_SERVICE = new Set(["status", "status-json", "auth-status"]);

describe("what a script sees of", () => {
  let shared: TestService;
  beforeAll(async () => {
    shared = await startTestService({ rows: TRANSCRIPT_ROWS, rateLimit: 1_000, onEnd });
  });

  /** A folder in which these commands were run. */
  const folderAfter = onceEach(async (earlier: readonly (readonly string[])[]) => {
    const cwd = await temporaryFolder(onEnd);
    for (const args of earlier) {
      expect(await runIn(cwd, args, { service: shared })).toMatchObject({ code: 0 });
    }
    return cwd;
  });

  test.each(Object.entries(TRANSCRIPTS))("%s is as reviewed", async (name, args) => {
    const service = SHOWS_SERVICE.has(name) ? await startTestService({ rows: TRANSCRIPT_ROWS }) : shared;
    await expectAsReviewed(name, args, service, await folderAfter(EARLIER[name] ?? []));
  });
});

describe("on a folder that is kept by sync, what a script sees of", () => {
  let service: TestService;
  let cwd: string;
  beforeAll(async () => {
    service = await startTestService({ rows: MORNING_ROWS, onEnd });
    cwd = await temporaryFolder(onEnd);
    await writeFile(join(cwd, "basket.csv"), MORNING_BASKET);
    expect(await runIn(cwd, ["sync", "rows"], { service })).toMatchObject({ code: 0 });
  });

  test.each(Object.entries(MORNING_QUESTIONS))("%s is as reviewed", async (name, args) => {
    await expectAsReviewed(name, args, service, cwd);
  });
});
