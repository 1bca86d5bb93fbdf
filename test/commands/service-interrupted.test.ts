import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { withDatabase } from "../../src/commands/service/database.ts";
import { EXIT, InterruptedError, LockedError } from "../../src/contract/errors.ts";
import { listKeys } from "../../src/service/store/access/manage-keys.ts";
import { StoreUnavailableError } from "../../src/service/store/store-types.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { gate } from "../helpers/gate.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const CHANGES = [
  ["remove", "--all"],
  ["load", "--replace", "./rows.ndjson"],
  ["keys", "create", "new"],
  ["teams", "create", "new"],
];

test("a change that waits a minute for another process ends with the exit code of what may work later", async () => {
  const database = join(await temporaryFolder(), "rows.db");
  const { store } = await startTestService({ database });
  const { passed, open } = gate();
  const held = store.write(() => passed);
  let time = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => {
    time += 10_000;
    return time;
  });
  onTestFinished(() => void vi.restoreAllMocks());

  const { code, stderr } = await runInProcess(["service", "keys", "create", "new", "--database", database]);
  open();
  await held;

  expect({ code, stderr }).toEqual({
    code: EXIT.unavailable,
    stderr: `error: another process keeps the database ${database} locked\nRun the command again when the other one has ended.\n`,
  });
});

test("a change that PostgreSQL ends because another process holds its lock is the same error", async () => {
  const ended = async () => {
    const cause = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });
    throw new StoreUnavailableError(cause.message, { cause });
  };

  await expect(withDatabase({ database: ":memory:" }, ended)).rejects.toThrow(LockedError);
});

test.each(CHANGES)(
  "service %s that waits for another process ends with Ctrl-C and --max-time, and changes nothing",
  async (...args) => {
    const folder = await temporaryFolder();
    const database = join(folder, "rows.db");
    await writeFile(join(folder, "rows.ndjson"), JSON.stringify(product({ sku: "new" })));
    const { store } = await startTestService({ database, rows: products(3) });
    const stop = new AbortController();
    const run = (...flags: string[]) =>
      runInProcess(["service", ...args, "--database", database, ...flags], { cwd: folder, signal: stop.signal });
    const { passed, open } = gate();
    const held = store.write(() => passed);

    const expired = await run("--max-time", "200ms");
    const running = run();
    stop.abort(new InterruptedError("SIGINT"));

    expect(expired).toMatchObject({ code: EXIT.unavailable, stderr: expect.stringContaining("--max-time of 200 ms") });
    expect(await running).toEqual({ code: EXIT.interrupted, stdout: "", stderr: "error: interrupted\n" });
    open();
    await held;
    const summary = await runInProcess(["service", "remove", "--all", "--dry-run", "--database", database]);
    expect(summary.stderr).toContain("3 rows would be removed");
    expect((await listKeys(store)).map(({ name }) => name)).toEqual(["all"]);
  },
);

test("service start ends with --max-time", async () => {
  const { code, stdout, stderr } = await runInProcess([
    "service",
    "start",
    "--port",
    "0",
    "--database",
    ":memory:",
    "--max-time",
    "500ms",
  ]);
  expect({ code, stdout }).toEqual({ code: EXIT.unavailable, stdout: expect.stringContaining("listening on") });
  expect(stderr).toContain("not done within the --max-time of 500 ms");
});

test("a command that the first SIGTERM does not end at once is ended by the second", async () => {
  const args = ["service", "start", "--port", "0", "--database", ":memory:", "--drain-delay", "1h"];
  const child = startCatalog(args);
  const ended = once(child, "exit");
  const [line] = await once(child.stdout ?? child, "data");
  const url = /^listening on (.*)$/m.exec(String(line))?.[1];
  const isReady = async () => (await fetch(`${url}/readyz`)).ok;
  expect(await isReady()).toBe(true);
  child.kill("SIGTERM");
  await expect.poll(isReady, { timeout: 60_000 }).toBe(false);
  child.kill("SIGTERM");
  expect(await ended).toEqual([null, "SIGTERM"]);
});

test("service keys create that is interrupted before its secret is written leaves no key", async () => {
  const database = join(await temporaryFolder(), "rows.db");
  const { store } = await startTestService({ database });
  const stop = new AbortController();
  const print = async () => {
    stop.abort(new InterruptedError("SIGINT"));
    throw stop.signal.reason;
  };

  const { code } = await runInProcess(["service", "keys", "create", "new", "--database", database], {
    print,
    signal: stop.signal,
  });

  expect(code).toBe(EXIT.interrupted);
  expect((await listKeys(store)).map(({ name }) => name)).toEqual(["all"]);
});
