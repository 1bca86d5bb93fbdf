import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openDestination } from "../../../src/output/destination/open.ts";

test.each([undefined, "-", "/dev/stdout"])("the output %s is stdout", async (output) => {
  const stdout = new PassThrough();
  const destination = await openDestination({ output, stdout });
  await destination.write("row\n");
  await destination.finish();
  expect(String(stdout.read())).toBe("row\n");
});
