import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { ProcessContext } from "../../src/cli/context.ts";
import { hideSecrets } from "../../src/cli/secrets.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";

test("everything that is printed is without the secrets", async () => {
  const key = "aB3".padEnd(43, "x");
  const stderr = new PassThrough();
  const printed: string[] = [];
  const context = hideSecrets([], {
    env: {},
    stderr,
    print: async (text: string) => void printed.push(text),
  } as unknown as ProcessContext);
  context.protect(key);
  context.printError(`one ${key}\n`);
  await context.print(`two ${key}\n`);
  expect([String(stderr.read()), ...printed]).toEqual(["one [redacted]\n", "two [redacted]\n"]);
});

test("a key on the command line is refused, whatever else is on it", async () => {
  const key = "aB3".padEnd(43, "x");
  const args = ["sample", "--retailer", key, "--department", "auth", "--base-url", "http://127.0.0.1:1"];
  expect(await runInProcess(args, { env: { CATALOG_API_KEY: key } })).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("the command line contains the API key"),
  });
});

test("the command of a login may contain the key, also after global options", async () => {
  const config = `${await temporaryFolder()}/config.toml`;
  const command = `echo ${"aB3".padEnd(43, "x")}`;
  const login = ["auth", "login", "--base-url", "http://127.0.0.1:1", "--no-check", "--api-key-command", command];
  for (const options of [[], ["--quiet"], ["--profile", "auth"]]) {
    expect(await runInProcess([...options, ...login], { env: { CATALOG_CONFIG: config } })).toMatchObject({
      code: EXIT.ok,
      stderr: "",
    });
  }
});
