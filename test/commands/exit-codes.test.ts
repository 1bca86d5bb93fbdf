import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { COMBINATION, coverageBody, META, pageBody } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService, type TestServiceOptions } from "../helpers/service.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

async function service(options: TestServiceOptions = {}) {
  const running = await startTestService({ rows: products(50), ...options });
  return { ...running, env: { CATALOG_BASE_URL: running.url, CATALOG_API_KEY: running.key } };
}

describe("the exit code", () => {
  test("is 1 if a local file cannot be written, and the earlier file stays", async () => {
    const { env } = await service();
    const folder = await temporaryFolder();
    await mkdir(join(folder, "taken"));
    const { code, stderr } = await runInProcess(["export", "-o", "./taken"], { env, cwd: folder });
    expect({ code, stderr, files: await readdir(folder) }).toEqual({
      code: EXIT.failure,
      stderr: expect.stringContaining("folder"),
      files: ["taken"],
    });
  });

  test.each([
    [["exprt"], /unknown command 'exprt'[\s\S]*export/],
    [["export", "--start-date", "2026-03-02", "--end-date", "2026-03-01"], /after --end-date 2026-03-01/],
    [["export", "--date", "tomorrow"], /--date "tomorrow" is not a date/],
    [
      ["movers", "--since", "lasst"],
      /--since "lasst" is not a date; .*, or last or last:NAME for a bookmark\.[\s\S]*catalog movers --since last$/m,
    ],
    [["export", "--rcd", "a:b"], /--rcd "a:b" is not retailer:category:department/],
    [["export", "--rcd", "a:b:c", "--retailer", "a"], /--rcd cannot be combined with --retailer/],
    [["export", "--page-size", "501"], /--page-size "501" is not a whole number from 1 to 500/],
    [
      ["sample", "--timeout", "5"],
      /--timeout "5" is not a duration; write a number and a unit: 500ms, 30s, 2m, 1h, 7d\./,
    ],
    [["sample", "--timeout", "0s"], /--timeout "0s" is too small; write at least 1ms\./],
    [["sample", "--timeout", "0.4ms"], /--timeout "0\.4ms" is too small; write at least 1ms\./],
    [["export", "--max-body", "0KiB"], /--max-body "0KiB" is too small; write at least 1B\./],
    [["coverage", "--quiet", "--verbose"], /--quiet cannot be combined with --verbose/],
    [["coverage"], /No service is set up yet\. Run: catalog auth login\n/],
  ])("is 2 for the command line %j, before any request", async (args, message) => {
    const { code, stdout, stderr } = await runInProcess(args);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("is 3 without a key, with an unknown one, and without the scope", async () => {
    const { env, createKey } = await service();
    const sampleOnly = await createKey({ name: "sample only", scopes: ["catalog:sample"] });
    const keys = [undefined, "x".repeat(43), sampleOnly];
    const runs = await Promise.all(
      keys.map((key) =>
        runInProcess(["export"], {
          env: { CATALOG_BASE_URL: env.CATALOG_BASE_URL, ...(key === undefined ? {} : { CATALOG_API_KEY: key }) },
        }),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([EXIT.credentials, EXIT.credentials, EXIT.credentials]);
    expect(runs.map(({ stderr }) => stderr).join("")).not.toContain(sampleOnly);
  });

  test("is 4 if the address has no such service", async () => {
    const { env, url } = await service();
    expect(
      await runInProcess(["coverage"], {
        env: { ...env, CATALOG_BASE_URL: `${url}/elsewhere` },
      }),
    ).toMatchObject({ code: EXIT.notFound, stderr: expect.stringContaining("not_found") });
  });

  test("is 1 if the headers of a request are too long, and 3 if the key looks wrong", async () => {
    const server = await startFaultServer(() => answer({ status: 431 }));
    const ask = async (key: string) => {
      const env = { CATALOG_BASE_URL: server.url.href, CATALOG_API_KEY: key };
      return (await runInProcess(["coverage"], { env })).code;
    };
    expect([await ask("k".repeat(43)), await ask("k".repeat(9_000))]).toEqual([EXIT.failure, EXIT.credentials]);
  });

  test("is 5 if the service stays unavailable or refuses connections", async () => {
    const { env, close } = await service({ faults: () => ({ snapshot: () => Promise.reject(new Error("gone")) }) });
    const failing = await runInProcess(["coverage", "--retries", "0"], { env });
    await close();
    const silent = await runInProcess(["coverage", "--retries", "0"], { env });
    expect({ failingCode: failing.code, silentCode: silent.code }).toEqual({
      failingCode: EXIT.unavailable,
      silentCode: EXIT.unavailable,
    });
  });

  test("is 6 if rows on stdout became wrong", async () => {
    const combinations = ["lamps", "rugs"].map((category) => ({
      ...{ ...COMBINATION, category, corpus_rows: 1, matching_rows: 1 },
      rcd: `${COMBINATION.retailer}:${category}:${COMBINATION.department}`,
    }));
    const summary = { ...META.coverage, combinations: 1, corpus_rows: 1, matching_rows: 1 };
    let pages = 0;
    const moving = await startFaultServer(({ target }) => {
      if (target.startsWith("/v1/coverage")) {
        const both = { ...summary, combinations: 2, corpus_rows: 2, matching_rows: 2 };
        return answer({ body: coverageBody(combinations, { ...META, coverage: both }) });
      }
      pages += 1;
      const rcd = new URL(target, "http://x").searchParams.get("rcd") ?? "";
      const [retailer = "", category = "", department = ""] = rcd.split(":");
      const row = product({ retailer, category, department, sku: `row-${pages}`, product_id: `row-${pages}` });
      // The rows of the second combination have become two: the set is planned again, and the first one has another row.
      const position = { total_matching: category === "rugs" ? 2 : 1, has_more: false, next_cursor: null, limit: 1 };
      const meta = { ...META, coverage: summary, resolved: { ...META.resolved, rcd } };
      return answer({ body: pageBody([JSON.stringify(row)], position, meta) });
    });
    const args = ["export", "--page-size", "1", "--concurrency", "1"];
    expect(await runInProcess(args, { service: moving })).toMatchObject({
      code: EXIT.changed,
      stderr: expect.stringContaining("changed while it was read"),
    });
  });

  test("is 7 if nothing matches and --fail-on-empty is set, else 0", async () => {
    const { env } = await service();
    const empty = ["--date", "1999-01-01"];
    const runs = await Promise.all(
      ["export", "sample", "coverage"].flatMap((command) => [
        runInProcess([command, ...empty, "--fail-on-empty"], { env }),
        runInProcess([command, ...empty], { env }),
      ]),
    );
    expect(runs.map(({ code }) => code)).toEqual([7, 0, 7, 0, 7, 0]);
    const failures = runs.filter(({ code }) => code === 7).map(({ stderr }) => stderr);
    expect(failures.filter((text) => !text.includes("the newest day that has rows is 2026-"))).toEqual([]);
  });

  test("is 0 or 7 for an empty result even if the request for the newest day fails", async () => {
    let requests = 0;
    const faults: TestServiceOptions["faults"] = (store) => ({
      snapshot: (deadline) => {
        requests += 1;
        return requests % 2 === 0 ? Promise.reject(new Error("gone")) : store.snapshot(deadline);
      },
    });
    const { env } = await service({ faults });
    const folder = join(await temporaryFolder(), "parts");
    for (const [flags, expected] of [
      [[], 0],
      [["--fail-on-empty"], 7],
      [["--partition-by", "retailer", "--output", folder], 0],
    ] as const) {
      const args = ["export", "--date", "1999-01-01", "--retries", "0", "--verbose", ...flags];
      const { code, stderr } = await runInProcess(args, { env });
      expect({ code, stderr }).toEqual({
        code: expected,
        stderr: expect.stringContaining("no rows match the filters\n"),
      });
    }
    expect(requests).toBe(6);
  });
});

test("a base URL that ends in /v1 is told to drop it", async () => {
  const service = await startTestService();
  const { code, stderr } = await runInProcess(["coverage", "--base-url", `${service.url}/v1/`], {
    env: { CATALOG_API_KEY: service.key },
  });
  expect(code).toBe(EXIT.notFound);
  expect(stderr).toContain(`at ${service.url}/v1; leave /v1 out of the base URL; the tool adds it.`);
});

test("an error with an unknown code is worth another run if its document says so", async () => {
  const run = async (retryable: boolean) => {
    const problem = { status: 409, title: "Busy", code: "busy_now", detail: "Busy.", retryable };
    const service = await startFaultServer([answer({ status: 409, body: JSON.stringify(problem) })]);
    return (await runInProcess(["coverage", "--retries", "0"], { service })).code;
  };
  expect([await run(true), await run(false)]).toEqual([EXIT.unavailable, EXIT.usage]);
});

test("the error of a misspelt folder names the synced folder that is near, and has the corrected command line", async () => {
  const folder = await syncedFolder([product()]);
  expect(await runInProcess(["movers", `${folder.slice(0, -1)}i`])).toMatchObject({
    code: EXIT.failure,
    stderr: `error: there is no folder ${folder.slice(0, -1)}i\nDid you mean ${folder}?\n  catalog movers ${folder}\n`,
  });
});

test("a missing folder and a column to sort by that does not exist are told with what to do", async () => {
  const folder = join(await temporaryFolder(), "nosuchdir");
  const missing = await runInProcess(["movers", folder]);
  const unsorted = await runInProcess(["coverage", "--sort", "zzzzzz"]);
  expect([missing, unsorted]).toMatchObject([
    { code: EXIT.failure, stderr: `error: there is no folder ${folder}; \`catalog sync ${folder}\` creates one\n` },
    {
      code: EXIT.usage,
      stderr: expect.stringContaining(
        'there is no column "zzzzzz"; sort by one of name, rows, first, last, retailer, ',
      ),
    },
  ]);
});

test("a database server that does not run is worth another run", async () => {
  const { code, stderr } = await runInProcess(["service", "keys", "list", "--database", "postgres://127.0.0.1:1/rows"]);
  expect(code).toBe(EXIT.unavailable);
  expect(stderr).toContain("the database server of postgres://127.0.0.1:1/rows is not available");
});
