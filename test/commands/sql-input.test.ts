import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  const service = await startTestService({ rows: products(3), onEnd });
  folder = join(await temporaryFolder(onEnd), "rows");
  await runInProcess(["sync", folder, "--retailer", products(1)[0]?.retailer ?? ""], { service });
});

/** Starts the built tool with a query from a stdin that sends nothing, and waits until it has opened the folder. */
async function sqlFromIdleInput(...flags: string[]) {
  const child = startCatalog(["sql", "-", folder, "--verbose", ...flags]);
  const ended = once(child, "close");
  const [stderr] = (await once(child.stderr ?? child, "data")) as [Buffer];
  expect(String(stderr)).toContain("holds what it was synced with");
  return { child, ended };
}

test.each([
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", EXIT.terminated],
] as const)("the first %s ends the wait for a query", async (signal, code) => {
  const { child, ended } = await sqlFromIdleInput();
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
});

test("--max-time ends the wait for a query", async () => {
  const { ended } = await sqlFromIdleInput("--max-time", "500ms");
  expect(await ended).toEqual([EXIT.unavailable, null]);
});

test("a query of more than 16 MiB is refused as wrong usage", async () => {
  const stdin = `select 1 -- ${"x".repeat(16 * 1024 * 1024)}`;
  const { code, stderr } = await runInProcess(["sql", "-", folder], { stdin });
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("the query on stdin is longer than 16 MiB")]);
});
