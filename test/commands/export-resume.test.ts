import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import type { Journal } from "../../src/export/journal.ts";
import { startFaultProxy } from "../faults/fault-proxy.ts";
import { runCatalog, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { stallBeforeHeaders, startFaultServer } from "../helpers/fault-server.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const ROWS = Array.from({ length: 10 }, (_, index) => products(40, { category: `category-${index}` })).flat();

const ARGS = ["export", "--page-size", "20", "-o", "rows.csv"];

/** What a killed export to rows.csv left, and what an undisturbed one writes. */
interface Interrupted {
  partial: Buffer;
  journal: Journal;
  whole: string;
}

let interrupted: Promise<Interrupted> | undefined;

async function interrupt(): Promise<Interrupted> {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService({ rows: ROWS });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  await startAndEnd("SIGKILL", { cwd, env });
  return {
    partial: await readFile(join(cwd, "rows.csv.partial")),
    journal: JSON.parse(await readFile(join(cwd, "rows.csv.partial.json"), "utf8")),
    whole: (await runCatalog(["export", "--page-size", "20", "-f", "csv"], { cwd, env })).stdout,
  };
}

/** Resolves when the journal of rows.csv names a slice: until then there is nothing to continue. */
async function journaled(cwd: string): Promise<void> {
  for (;;) {
    const text = await readFile(join(cwd, "rows.csv.partial.json"), "utf8").catch(() => "null");
    if ((JSON.parse(text) as Journal | null)?.slices.length) {
      return;
    }
    await setTimeout(10);
  }
}

/** Runs an export that gets a signal in the middle, with a request unanswered and slices on disk. */
async function startAndEnd(signal: NodeJS.Signals, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  let child: ReturnType<typeof startCatalog> | undefined;
  let requests = 0;
  const onRequest = async () => {
    requests += 1;
    if (requests === 14) {
      await journaled(cwd);
      child?.kill(signal);
    }
  };
  const proxy = await startFaultProxy(env.CATALOG_BASE_URL ?? "", { onRequest });
  child = startCatalog([...ARGS, "--concurrency", "1"], { cwd, env: { ...env, CATALOG_BASE_URL: proxy.url } });
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  const [code] = await once(child, "close");
  return { code, stderr };
}

/** A folder with what a killed export to rows.csv left, or nothing yet, and a way to run it again. */
async function folder({ killed = true } = {}) {
  interrupted ??= interrupt();
  const { partial, journal, whole } = await interrupted;
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService({ rows: ROWS });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const at = (name: string) => join(cwd, name);
  if (killed) {
    await writeFile(at("rows.csv.partial"), partial);
    await writeFile(at("rows.csv.partial.json"), JSON.stringify({ ...journal, service: `${url}/` }));
  }
  const run = (...flags: string[]) => {
    const usual = flags.includes("--page-size") ? ["export", "-o", "rows.csv"] : ARGS;
    return runCatalog([...usual, ...flags], { cwd, env });
  };
  return { cwd, url, env, at, whole, run };
}

async function changeJournal(path: string, changes: Partial<Journal>): Promise<void> {
  const journal = JSON.parse(await readFile(path, "utf8")) as Journal;
  await writeFile(path, JSON.stringify({ ...journal, ...changes }));
}

describe("an export to a file that an interrupted one left unfinished", () => {
  test("is refused without --resume and leaves everything as it was", async () => {
    const { cwd, run, at } = await folder();
    const before = await readFile(at("rows.csv.partial"));
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([EXIT.failure, expect.stringMatching(/left of an interrupted export.*--resume/)]);
    expect(await readFile(at("rows.csv.partial"))).toEqual(before);
    expect((await readdir(cwd)).filter((name) => !name.includes("lock"))).toEqual([
      "rows.csv.partial",
      "rows.csv.partial.json",
    ]);
  });

  test("goes on with --resume and leaves only the whole file", async () => {
    const { cwd, run, at, whole } = await folder();
    const { code, stderr } = await run("--resume");
    expect([code, stderr, await readdir(cwd)]).toEqual([EXIT.ok, "", ["rows.csv"]]);
    expect(await readFile(at("rows.csv"), "utf8")).toBe(whole);
  });

  test("is refused where it is another export, with the difference named", async () => {
    const { run, at } = await folder();
    const before = await readFile(at("rows.csv.partial.json"));
    const cases = [
      [["--retailer", "acme"], 'the filters of the interrupted export: {}, now: {"retailer":"acme"}'],
      [["--columns", "sku"], 'the columns of the interrupted export: null, now: ["sku"]'],
      [["--format", "tsv"], 'the format of the interrupted export: "csv", now: "tsv"'],
      [["--compress", "gzip"], 'the compression of the interrupted export: null, now: "gzip"'],
      [["--page-size", "30"], "the page size of the interrupted export: 20, now: 30"],
      [["--max-rows", "7"], "--max-rows of the interrupted export: null, now: 7"],
    ] as const;
    for (const [flags, message] of cases) {
      const { code, stderr } = await run("--resume", ...flags);
      expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    }
    expect(await readFile(at("rows.csv.partial.json"))).toEqual(before);
  });

  test("is refused where it was of another service", async () => {
    const { run, at } = await folder();
    await changeJournal(at("rows.csv.partial.json"), { service: "https://other.example/" });
    const { code, stderr } = await run("--resume");
    expect([code, stderr]).toEqual([
      EXIT.usage,
      expect.stringContaining('the service of the interrupted export: "https://other.example/", now: "http://127'),
    ]);
  });

  test("is refused where it was of the demo data of another day", async () => {
    const { run, at } = await folder();
    await changeJournal(at("rows.csv.partial.json"), { service: "demo of 2026-01-01" });
    const { code, stderr } = await run("--resume", "--demo");
    expect([code, stderr]).toEqual([
      EXIT.usage,
      expect.stringMatching(
        /the service of the interrupted export: "demo of 2026-01-01", now: "demo of \d{4}-\d\d-\d\d"/,
      ),
    ]);
  });

  test("is refused where another version wrote the journal", async () => {
    const { run, at } = await folder();
    await changeJournal(at("rows.csv.partial.json"), { version: 99, tool: "9.0.0" });
    const { code, stderr } = await run("--resume");
    expect([code, stderr]).toEqual([EXIT.failure, expect.stringContaining("was written by version 9.0.0 of catalog")]);
  });

  test("is refused where the journal is none", async () => {
    const { run, at } = await folder();
    for (const text of ["not json", "null", "{}", '{"version":1,"slices":[7]}']) {
      await writeFile(at("rows.csv.partial.json"), text);
      const { code, stderr } = await run("--resume");
      expect([code, stderr]).toEqual([
        EXIT.failure,
        expect.stringContaining("is not the journal of an export; delete it"),
      ]);
    }
  });

  test("is refused where the partial file is shorter than the journal says", async () => {
    const { run, at } = await folder();
    await writeFile(at("rows.csv.partial"), "cut");
    const { code, stderr } = await run("--resume");
    expect([code, stderr]).toEqual([EXIT.failure, expect.stringMatching(/holds 3 bytes where its journal says \d+/)]);
  });

  test("begins anew with --resume where there is no journal", async () => {
    const { cwd, run, at, whole } = await folder();
    await rm(at("rows.csv.partial.json"));
    const { code } = await run("--resume");
    expect([code, await readdir(cwd), await readFile(at("rows.csv"), "utf8")]).toEqual([EXIT.ok, ["rows.csv"], whole]);
  });

  test("begins anew where the file was in its place already and only the journal was left", async () => {
    const { cwd, run, at, whole } = await folder();
    await rm(at("rows.csv.partial"));
    await writeFile(at("rows.csv"), "of before");
    const { code } = await run();
    expect([code, await readdir(cwd), await readFile(at("rows.csv"), "utf8")]).toEqual([EXIT.ok, ["rows.csv"], whole]);
  });
});

describe("an export", () => {
  test("is refused where a living process writes the same file", async () => {
    const { cwd, run } = await folder({ killed: false });
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const slow = await startFaultServer(() => {
      arrived();
      return stallBeforeHeaders;
    });
    onTestFinished(() => slow.close());
    const env = { CATALOG_BASE_URL: slow.url.href, CATALOG_API_KEY: "k".repeat(43) };
    const first = startCatalog(["export", "-o", "rows.csv"], { cwd, env });
    await asked;
    const { code, stderr } = await run("--resume");
    expect([code, stderr]).toEqual([
      EXIT.failure,
      expect.stringContaining(`is being written by process ${first.pid} on`),
    ]);
    first.kill("SIGKILL");
    await once(first, "close");
    expect((await run()).code).toBe(EXIT.ok);
    expect(await readdir(cwd)).toEqual(["rows.csv"]);
  });

  test("of two at once gives a whole file, and who does not write says so", async () => {
    const { cwd, run, at, whole } = await folder();
    const runs = await Promise.all([run("--resume"), run("--resume"), run("--resume")]);
    const refused = runs.filter(({ code }) => code !== EXIT.ok);
    expect(refused.map(({ stderr }) => stderr)).toEqual(
      refused.map(() => expect.stringContaining("is being written by process")),
    );
    expect(refused.length).toBeLessThan(3);
    expect([await readdir(cwd), await readFile(at("rows.csv"), "utf8")]).toEqual([["rows.csv"], whole]);
  });

  test("does not replace a file with --no-clobber and leaves nothing beside it", async () => {
    const { cwd, run, at } = await folder({ killed: false });
    await writeFile(at("rows.csv"), "of before");
    const { code } = await run("--no-clobber");
    expect([code, await readdir(cwd), await readFile(at("rows.csv"), "utf8")]).toEqual([
      EXIT.failure,
      ["rows.csv"],
      "of before",
    ]);
  });

  test("keeps the file of before where nothing matched and --fail-on-empty asked for rows", async () => {
    const { cwd, run, at } = await folder({ killed: false });
    await writeFile(at("rows.csv"), "of before");
    const { code } = await run("--fail-on-empty", "--date", "1999-01-01");
    expect([code, await readdir(cwd), await readFile(at("rows.csv"), "utf8")]).toEqual([
      EXIT.empty,
      ["rows.csv"],
      "of before",
    ]);
  });

  test.each([
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
  ] as const)("says after %s how to go on, and goes on from there", async (signal, expected) => {
    const { cwd, url, env, run, at, whole } = await folder({ killed: false });
    const { code, stderr } = await startAndEnd(signal, { cwd, env });
    expect(code).toBe(expected);
    expect(stderr).toContain("rows.csv.partial keeps what was written; repeat the command with --resume to continue");
    expect(await readdir(cwd)).toEqual(["rows.csv.partial", "rows.csv.partial.json"]);
    await changeJournal(at("rows.csv.partial.json"), { service: `${url}/` });
    expect((await run("--resume")).code).toBe(EXIT.ok);
    expect([await readdir(cwd), await readFile(at("rows.csv"), "utf8")]).toEqual([["rows.csv"], whole]);
  });
});
