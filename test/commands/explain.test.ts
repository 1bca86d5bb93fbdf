import { describe, expect, test } from "vitest";
import { TOOL_ERRORS } from "../../src/cli/errors/error-table.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { PROBLEM_CODES } from "../../src/contract/problems.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestService } from "../helpers/service.ts";

describe("explain", () => {
  test("lists every code with status, retry and exit code", async () => {
    const { stdout } = await runInProcess(["explain"]);
    const [service = "", tool = ""] = stdout.split(
      "\nErrors of this tool, and of proxies between it and the service:\n\n",
    );
    const codesOf = (table: string) =>
      table
        .trimEnd()
        .split("\n")
        .slice(2)
        .map((line) => line.split(" ")[0]);
    expect(codesOf(service)).toEqual(PROBLEM_CODES);
    expect(codesOf(tool)).toEqual(TOOL_ERRORS.map(({ code }) => code));
    expect(service).toMatch(/^not_found +404 +no +4 +The path/m);
    expect(tool).toMatch(/^network +yes +5 +In every attempt/m);
  });

  test("writes JSON, one object for a code and an array for all", async () => {
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

  test("is named by the error of an unreachable service", async () => {
    const env = { CATALOG_BASE_URL: "http://127.0.0.1:1", CATALOG_API_KEY: "x".repeat(43) };
    const { code, stderr } = await runInProcess(["coverage", "--retries", "0"], { env });
    expect([code, stderr]).toEqual([EXIT.unavailable, expect.stringMatching(/network · catalog explain network\n$/)]);
  });

  test("is named by an error of the service", async () => {
    const { url } = await startTestService();
    const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: "x".repeat(43) };
    const { stderr } = await runInProcess(["coverage"], { env });
    expect(stderr).toMatch(/invalid_credentials · request \S+ · catalog explain invalid_credentials\n$/);
  });
});
