import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { startTestService } from "../helpers/service.ts";
import { CTRL_C, CTRL_D, runInTerminal } from "../helpers/terminal.ts";

/** What a terminal sees of `catalog auth login` when `typed` is typed. */
async function typeAtLogin(typed: (key: string) => string, isAddressAsked = false) {
  const { url, key } = await startTestService();
  const cwd = await temporaryFolder();
  const { code, output, isRestored } = await runInTerminal(
    ["auth", "login", ...(isAddressAsked ? [] : ["--base-url", url])],
    {
      cwd,
      env: { XDG_CONFIG_HOME: join(cwd, "config"), NO_COLOR: "1" },
      typed: [
        ...(isAddressAsked ? [{ after: "Address of the service", text: `${url}x\x7f\r` }] : []),
        { after: "API key for", text: typed(key) },
      ],
    },
  );
  const config = await readFile(join(cwd, "config", "catalog", "config.toml"), "utf8").catch(() => undefined);
  return { code, output, isRestored, key, url, config };
}

describe("the prompt for a key, in a terminal", () => {
  test("takes a pasted key and echoes nothing of it", async () => {
    const { code, output, isRestored, key, url, config } = await typeAtLogin((secret) => `${secret}\r`);
    expect({ code, config, isRestored }).toEqual({ code: 0, config: expect.stringContaining(key), isRestored: true });
    expect(output).toContain(`API key for ${new URL(url).host}: `);
    expect(output).toContain("Stored in profile default");
    expect(output).not.toContain(key.slice(0, 4));
  });

  test("comes after the prompt for the address, if none is set", async () => {
    const { code, output, isRestored, key, url, config } = await typeAtLogin((secret) => `${secret}\r`, true);
    expect({ code, isRestored }).toEqual({ code: 0, isRestored: true });
    expect(config).toContain(`base_url = "${url}/"`);
    expect(config).toContain(key);
    expect(output).not.toContain(key.slice(0, 4));
  });

  test("lets a typing mistake be taken back", async () => {
    const { code, key, config } = await typeAtLogin((secret) => `xx\x7f\x7f${secret}\r`);
    expect({ code, config }).toEqual({ code: 0, config: expect.stringContaining(`"${key}"`) });
  });

  test("ends with 130, stores nothing and leaves the terminal as it was after Ctrl-C", async () => {
    expect(await typeAtLogin((secret) => `${secret.slice(0, 9)}${CTRL_C}`)).toMatchObject({
      code: 130,
      isRestored: true,
      config: undefined,
    });
  });

  test("ends with 3, says that nothing was stored and leaves the terminal as it was after Ctrl-D", async () => {
    const { code, output, isRestored, config } = await typeAtLogin(() => CTRL_D);
    expect({ code, isRestored, config }).toEqual({ code: 3, isRestored: true, config: undefined });
    expect(output).toContain("no key was entered. Nothing was stored.");
  });
});
