import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runKeyCommand } from "../../src/config/key-command.ts";
import { EXIT } from "../../src/errors.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";

/** Whether a process runs. A process that has ended, but whose parent has not collected it, does not run. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("an interrupted key command is ended with the processes that it started", async () => {
  const controller = new AbortController();
  const folder = await temporaryFolder();
  const pids = join(folder, "pids");
  // Both processes ignore SIGTERM. The second is a child that the shell does not wait for.
  const command = `trap '' TERM; (trap '' TERM; sleep 600) & echo $$ $! > ${pids}.new && mv ${pids}.new ${pids}; wait`;
  const running = runKeyCommand(command, "default", { env: { PATH: process.env.PATH }, signal: controller.signal });
  const [shell = 0, child = 0] = await vi.waitFor(async () => (await readFile(pids, "utf8")).split(" ").map(Number), {
    timeout: 20_000,
  });
  controller.abort("enough");
  await expect(running).rejects.toBe("enough");
  for (const pid of [shell, child]) {
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
  }
});

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

test("a key command that writes too much is asked to end once", async () => {
  const asked = join(await temporaryFolder(), "asked");
  const command = `trap 'echo x >> ${asked}' TERM; while :; do printf '%0100000d' 0; done`;
  const context = { env: { PATH: process.env.PATH }, signal: new AbortController().signal };
  await expect(runKeyCommand(command, "default", context)).rejects.toThrow("wrote more than a key");
  expect(await readFile(asked, "utf8")).toBe("x\n");
});
