import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { startTestService } from "../helpers/service.ts";

/** Runs a command in a pseudo-terminal, types into it once it asks, and tells its exit code and all that it showed. */
const TYPIST = `
import json, os, pty, sys
command, typed = json.loads(sys.argv[1]), sys.argv[2].encode().decode("unicode_escape").encode()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown = b""
waiting = True
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    if waiting and b"API key for" in shown:
        waiting = False
        os.write(terminal, typed)
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()]))
`;

/** What a terminal sees of \`catalog auth login\` when \`typed\` is typed, as a Python string literal without quotes. */
async function typeAtLogin(typed: (key: string) => string) {
  const { url, key } = await startTestService();
  const config = join(await temporaryFolder(), "config.toml");
  const command = [process.execPath, CATALOG, "auth", "login", "--base-url", url];
  const env = { ...process.env, CATALOG_CONFIG: config, NO_COLOR: "1", TERM: "xterm" };
  const { stdout } = await promisify(execFile)("python3", ["-c", TYPIST, JSON.stringify(command), typed(key)], { env });
  const [code, shown] = JSON.parse(stdout) as [number, string];
  return { code, shown, key, url, config: await readFile(config, "utf8").catch(() => undefined) };
}

describe("the prompt for a key, in a terminal", () => {
  test("takes a pasted key and echoes nothing of it", async () => {
    const { code, shown, key, url, config } = await typeAtLogin((secret) => `${secret}\\r`);
    expect([code, config]).toEqual([0, expect.stringContaining(key)]);
    expect(shown).toContain(`API key for ${new URL(url).host}: `);
    expect(shown).toContain("Stored in profile default");
    expect(shown).not.toContain(key.slice(0, 4));
  });

  test("lets a typing mistake be taken back", async () => {
    const { code, key, config } = await typeAtLogin((secret) => `xx\\x7f\\x7f${secret}\\r`);
    expect([code, config]).toEqual([0, expect.stringContaining(`"${key}"`)]);
  });

  test("ends with 130 and stores nothing after Ctrl-C", async () => {
    const { code, config } = await typeAtLogin((secret) => `${secret.slice(0, 9)}\\x03`);
    expect([code, config]).toEqual([130, undefined]);
  });

  test("ends with 3 after Ctrl-D", async () => {
    const { code, shown, config } = await typeAtLogin(() => "\\x04");
    expect([code, config, shown]).toEqual([3, undefined, expect.stringContaining("no key was entered")]);
  });
});
