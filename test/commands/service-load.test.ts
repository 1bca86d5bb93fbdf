import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";

/** Starts the built tool with a stdin that sends nothing, and waits until it has created its database. */
async function loadFromIdleInput(...flags: string[]) {
  const database = join(await temporaryFolder(), "rows.db");
  const child = startCatalog(["service", "load", "-", "--database", database, ...flags]);
  const closed = once(child, "close");
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  const isThere = () =>
    stat(database).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere, { timeout: 10_000 }).toBe(true);
  return { child, ended: async () => [...(await closed), stderr] };
}

test.each([
  ["SIGINT", EXIT.interrupted, "error: interrupted\n"],
  ["SIGTERM", EXIT.terminated, "error: terminated\n"],
] as const)("the first %s ends a load that waits for its input", async (signal, code, message) => {
  const { child, ended } = await loadFromIdleInput();

  child.kill(signal);

  expect(await ended()).toEqual([code, null, message]);
});

test("--max-time ends a load that waits for its input", async () => {
  const child = startCatalog(["service", "load", "-", "--database", ":memory:", "--max-time", "500ms"]);
  const [stderr] = (await once(child.stderr ?? child, "data")) as [Buffer];

  expect(String(stderr)).toContain("not done within the --max-time");
  expect(await once(child, "close")).toEqual([EXIT.unavailable, null]);
});
