import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "smol-toml";
import { expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { isAlive } from "../helpers/is-alive.ts";

test("SIGTERM ends the tool while a process that the key command left behind holds its output", async () => {
  const folder = await temporaryFolder();
  const [config, pid] = [join(folder, "config.toml"), join(folder, "pid")];
  // It names itself only in its own group: before that, a signal to the group of the command would end it, too.
  const holding = `echo $$ > ${pid}.new && mv ${pid}.new ${pid} && exec sleep 600`;
  const profile = { base_url: "http://127.0.0.1:1", api_key_command: `setsid sh -c '${holding}' & echo key` };
  await writeFile(config, stringify({ profiles: { default: profile } }), { mode: 0o600 });
  const child = startCatalog(["coverage"], { env: { CATALOG_CONFIG: config } });
  const closed = once(child, "close");
  const holder = await vi.waitFor(async () => Number(await readFile(pid, "utf8")), { timeout: 20_000 });
  onTestFinished(() => void process.kill(holder, "SIGKILL"));

  child.kill("SIGTERM");

  expect(await closed).toEqual([EXIT.terminated, null]);
  expect(isAlive(holder)).toBe(true);
});
