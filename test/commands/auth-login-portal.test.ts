import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { processContext } from "../../src/cli/context.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { main } from "../../src/main.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestPortal } from "../helpers/portal.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

/**
 * What `auth login` writes to the terminal when a person types an answer as soon as it is asked for.
 *
 * @param args more arguments
 */
async function login(
  { url, key }: TestService,
  args = ["--base-url", `${url}/api`],
  answers = [`${key}\n`],
): Promise<string> {
  const folder = await temporaryFolder();
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const stderr = new PassThrough();
  let written = "";
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    // A terminal that can be written on gets control sequences after the question, too.
    if (stripVTControlCharacters(written).endsWith(": ") && answers.length > 0) {
      setImmediate(() => stdin.write(answers.shift() ?? ""));
    }
  });
  const context = {
    ...processContext({ config: folder, data: folder, cache: folder }),
    stdin,
    stdout: new PassThrough(),
    print: async () => {},
    stderr,
    env: { CATALOG_CONFIG: `${folder}/config.toml` },
  };
  expect(await main(["auth", "login", ...args], context)).toBe(0);
  return written;
}

test("names the portal that the service publishes, and asks for a key", async () => {
  const portal = await startTestPortal();

  expect(await login(portal)).toBe(`Create a key at ${portal.url}/portal\nAPI key: \n`);
});

test("asks for a key of a service that publishes no portal", async () => {
  const service = await startTestService();

  expect(await login(service)).toBe(`API key for ${new URL(service.url).host}: \n`);
});

test("does not show a portal of another origin that is not https", async () => {
  const service = await startTestPortal({ publicUrl: "http://elsewhere.example" });

  expect(await login(service)).toBe(`API key for ${new URL(service.url).host}: \n`);
});

describe("without an address", () => {
  test("asks for the address, and then for the key, which is not shown", async () => {
    const service = await startTestService();

    const written = await login(service, [], [`${service.url}\n`, `${service.key}\n`]);

    expect(written).toContain("Address of the service, such as https://api.example.com: ");
    expect(written).toContain(service.url);
    expect(written).toMatch(/API key for 127\.0\.0\.1:\d+: \n$/);
    expect(written).not.toContain(service.key.slice(0, 4));
  });

  test("takes an address and a key that are pasted together, and does not show the key", async () => {
    const service = await startTestService();

    const written = await login(service, [], [`${service.url}\n${service.key}\n`]);

    expect(written).toMatch(/API key for 127\.0\.0\.1:\d+: \n$/);
    expect(written).not.toContain(service.key.slice(0, 4));
  });

  test("says in a pipe how to give it", async () => {
    expect(await runInProcess(["auth", "login"], { stdin: "a key\n" })).toMatchObject({
      code: EXIT.usage,
      stderr:
        "error: the address of the service is missing: add --base-url https://api.example.com, or run the command at a terminal.\n",
    });
  });
});
