import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runKeyCommand } from "../../src/config/key-command.ts";
import { CredentialsError } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { isAlive } from "../helpers/is-alive.ts";

/** What a command takes from the system. */
const SYSTEM = {
  env: { PATH: process.env.PATH, GREETING: "hello" },
  platform: process.platform,
  kill: (pid: number, name: NodeJS.Signals) => void process.kill(pid, name),
};

test("an interrupted key command is ended with the processes that it started", async () => {
  const controller = new AbortController();
  const folder = await temporaryFolder();
  const pids = join(folder, "pids");
  // Both processes ignore SIGTERM. The second is a child that the shell does not wait for.
  const command = `trap '' TERM; (trap '' TERM; sleep 600) & echo $$ $! > ${pids}.new && mv ${pids}.new ${pids}; wait`;
  const running = runKeyCommand(command, "default", { ...SYSTEM, signal: controller.signal });
  const [shell = 0, child = 0] = await vi.waitFor(async () => (await readFile(pids, "utf8")).split(" ").map(Number), {
    timeout: 20_000,
  });
  controller.abort("enough");
  await expect(running).rejects.toBe("enough");
  for (const pid of [shell, child]) {
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
  }
});

test("a key command that writes too much is asked to end once", async () => {
  const asked = join(await temporaryFolder(), "asked");
  const command = `trap 'echo x >> ${asked}' TERM; while :; do printf '%0100000d' 0; done`;
  const context = { ...SYSTEM, signal: new AbortController().signal };
  await expect(runKeyCommand(command, "default", context)).rejects.toThrow("printed more than a key can have");
  expect(await readFile(asked, "utf8")).toBe("x\n");
});

function run(command: string, signal = new AbortController().signal): Promise<string> {
  return runKeyCommand(command, "work", { ...SYSTEM, signal });
}

test("a key command runs in a shell with the environment; its output is the key without white space at its ends", async () => {
  expect(await run("printf 'a\\n\\n' | cat")).toBe("a");
  expect(await run('echo "$GREETING"; echo "not the key" >&2')).toBe("hello");
  // It gets no input.
  expect(await run("cat; echo end")).toBe("end");
});

test("an empty key command is refused", async () => {
  const empty = new CredentialsError("the api_key_command of profile work is empty.");
  await expect(run("")).rejects.toStrictEqual(empty);
});

test.each([
  ["an exit code", "echo secret; exit 3", "failed with exit code 3"],
  ["a signal", "echo secret; kill -KILL $$", "failed with SIGKILL"],
])("a key command that fails with %s has no key, and the error does not show its output", async (_, command, why) => {
  await expect(run(command)).rejects.toStrictEqual(
    new CredentialsError(`the api_key_command of profile work ${why}; run it yourself to see why.`),
  );
});

test("as much as 64 KiB of output is read", async () => {
  expect((await run("head -c 65536 /dev/zero | tr '\\0' k")).length).toBe(65_536);
  await expect(run("head -c 65537 /dev/zero | tr '\\0' k")).rejects.toThrow("printed more than a key can have");
});

test("no key command is run after an interruption", async () => {
  const ran = join(await temporaryFolder(), "ran");
  await expect(run(`touch ${ran}`, AbortSignal.abort("enough"))).rejects.toBe("enough");
  await expect(access(ran)).rejects.toThrow("ENOENT");
});

afterEach(() => void vi.useRealTimers());

test("a key command may take 30 seconds, and its processes have ended afterwards", async () => {
  const pids = join(await temporaryFolder(), "pids");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const running = run(`sleep 600 & echo $$ $! > ${pids}.new && mv ${pids}.new ${pids}; wait`);
  let left = 0;
  running.catch(() => {
    left += 1;
  });
  const isThere = () =>
    access(pids).then(
      () => true,
      () => false,
    );
  while (!(await isThere())) {
    // The shell has not started yet.
  }
  await vi.advanceTimersByTimeAsync(29_999);
  expect(left).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  await expect(running).rejects.toThrow("the api_key_command of profile work did not end within 30 s; run it ");
  vi.useRealTimers();
  for (const pid of (await readFile(pids, "utf8")).split(" ").map(Number)) {
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
  }
});

test.each(["echo key", "kill -9 $$"])(
  "a key command that ended by %s is not blamed for what it left running",
  async (end) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const pid = join(await temporaryFolder(), "pid");
    const running = run(`sleep 600 & echo $$ > ${pid}.new && mv ${pid}.new ${pid}; ${end}`);
    const failed = expect(running).rejects.toThrow("ended, but what it started did not close its output within 30 s");
    // Its number is free once this process knows that it has ended.
    const hasEnded = () =>
      readFile(pid, "utf8").then(
        (text) => {
          try {
            return !process.kill(Number(text), 0);
          } catch {
            return true;
          }
        },
        () => false,
      );
    while (!(await hasEnded())) {
      // The shell runs.
    }
    await vi.advanceTimersByTimeAsync(30_000);
    await failed;
  },
);
