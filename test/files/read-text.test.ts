import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { runCatalog } from "../helpers/cli.ts";
import { idlePipe } from "../helpers/idle-pipe.ts";

const env = { CATALOG_BASE_URL: "http://127.0.0.1:9" };

test("a command that waits for the writer of its key file can be ended", async () => {
  const options = { env: { ...env, CATALOG_API_KEY_FILE: await idlePipe() }, timeout: 30_000 };
  expect(await runCatalog(["coverage", "--max-time", "500ms"], options)).toMatchObject({
    code: EXIT.unavailable,
    stderr: expect.stringContaining("not done within the --max-time"),
  });
});

test("a key file without an end is refused before it fills the memory", async () => {
  const options = { env: { ...env, CATALOG_API_KEY_FILE: "/dev/zero" }, timeout: 30_000 };
  expect(await runCatalog(["coverage"], options)).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining("/dev/zero is far too long for a key"),
  });
});

test.each([
  ["CATALOG_CONFIG", ["coverage"]],
  ["CATALOG_DATABASE", ["service", "keys", "list"]],
])("a named pipe as %s is refused, because opening it could block for ever", async (variable, args) => {
  const pipe = await idlePipe();
  const { code, stderr } = await runCatalog(args, { env: { ...env, [variable]: pipe }, timeout: 30_000 });
  expect({ code, stderr }).toEqual({ code: EXIT.failure, stderr: expect.stringContaining(pipe) });
  expect(stderr).toContain("is a named pipe");
});
