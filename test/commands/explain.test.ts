import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { runInProcess } from "../helpers/in-process.ts";

test("explain writes JSON, one object for a code and an array for all", async () => {
  const one = await runInProcess(["explain", "Invalid-Credentials", "-f", "json"]);
  const all = await runInProcess(["explain", "-f", "json"]);
  expect(JSON.parse(one.stdout)).toEqual({
    code: "invalid_credentials",
    source: "service",
    status: 401,
    retryable: false,
    title: "Invalid credentials",
    meaning: expect.any(String),
    recovery: expect.any(String),
    remedy: expect.stringContaining("catalog auth status"),
    exit_code: EXIT.credentials,
  });
  expect(JSON.parse(all.stdout)).toContainEqual(JSON.parse(one.stdout));
  expect(JSON.parse(all.stdout)).toContainEqual({
    code: "usage",
    source: "catalog",
    status: null,
    retryable: false,
    title: "Wrong usage",
    meaning: expect.any(String),
    recovery: null,
    remedy: expect.stringContaining("catalog help COMMAND"),
    exit_code: EXIT.usage,
  });
});
