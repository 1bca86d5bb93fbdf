import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { ProcessContext } from "../../src/cli/context.ts";
import { hideSecrets } from "../../src/cli/secrets.ts";

test("a spinner may put its own function in the place of stderr's, and nothing is shown with a key", () => {
  const key = "aB3".padEnd(43, "x");
  const stderr = new PassThrough();
  const context = hideSecrets([], { stderr, print: async () => {} } as unknown as ProcessContext);
  context.protect(key);
  const found = context.stderr.write;
  const seen: string[] = [];
  context.stderr.write = (text: string) => {
    seen.push(text);
    return found(text);
  };
  context.stderr.write(`one ${key}\n`);
  context.stderr.write = found;
  context.stderr.write("two\n");
  expect([seen.length, stderr.read().toString()]).toEqual([1, "one [redacted]\ntwo\n"]);
});
