import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { isAlive } from "../helpers/is-alive.ts";

/** Starts the built tool with a key command that prints a key and leaves a process of another group with its output. */
async function startWithHeldPipe(...flags: string[]) {
  const folder = await temporaryFolder();
  const [config, pid] = [join(folder, "config.toml"), join(folder, "pid")];
  const command = `setsid sleep 600 & echo $! > ${pid}.new && mv ${pid}.new ${pid}; echo key`;
  await writeFile(config, `[profiles.default]\nbase_url = "http://127.0.0.1:1"\napi_key_command = '${command}'\n`, {
    mode: 0o600,
  });
  const child = startCatalog(["coverage", ...flags], { env: { CATALOG_CONFIG: config } });
  const closed = once(child, "close");
  const holder = await vi.waitFor(async () => Number(await readFile(pid, "utf8")), { timeout: 20_000 });
  onTestFinished(() => void process.kill(holder, "SIGKILL"));
  return { child, closed, holder };
}

test("SIGTERM ends the tool while a process that the key command left behind holds its output", async () => {
  const { child, closed, holder } = await startWithHeldPipe();
  child.kill("SIGTERM");
  expect(await closed).toEqual([EXIT.terminated, null]);
  expect(isAlive(holder)).toBe(true);
});

test("--max-time ends the tool while a process that the key command left behind holds its output", async () => {
  const { closed, holder } = await startWithHeldPipe("--max-time", "1s");
  expect(await closed).toEqual([EXIT.unavailable, null]);
  expect(isAlive(holder)).toBe(true);
});
