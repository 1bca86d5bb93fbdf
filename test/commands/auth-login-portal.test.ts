import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { processContext } from "../../src/context.ts";
import { main } from "../../src/main.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { startTestPortal } from "../helpers/portal.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

/** What `auth login` writes to the terminal when a person types the key as soon as it is asked for. */
async function login({ url, key }: TestService): Promise<string> {
  const folder = await temporaryFolder();
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const stderr = new PassThrough();
  let written = "";
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    if (written.endsWith(": ")) {
      setImmediate(() => stdin.write(`${key}\n`));
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
  expect(await main(["auth", "login", "--base-url", `${url}/api`], context)).toBe(0);
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
