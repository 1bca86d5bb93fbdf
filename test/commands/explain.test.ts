import { describe, expect, test } from "vitest";
import { PROBLEM_CODES } from "../../src/contract/problems.ts";
import { EXIT } from "../../src/errors.ts";
import { runCatalog } from "../helpers/cli.ts";
import { startTestService } from "../helpers/service.ts";

describe("explain", () => {
  test("says of a code what it means, whether to retry and what to do", async () => {
    const { code, stdout, stderr } = await runCatalog(["explain", "rate_limited"]);
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    expect(stdout.split("\n")).toEqual([
      "rate_limited: Rate limit exceeded (HTTP 429)",
      "",
      "The team used up the requests of this endpoint group for the current window.",
      "",
      "Retry         yes, after a pause; the tool does so by itself",
      "Recovery      Wait at least the seconds named in `Retry-After`, then send the request again.",
      expect.stringMatching(/^With catalog {2}The tool paces itself/),
      "Exit code     5",
      "",
    ]);
  });

  test("lists every code with status, retry and exit code", async () => {
    const { stdout } = await runCatalog(["explain"]);
    const lines = stdout.trimEnd().split("\n").slice(2);
    expect(lines.map((line) => line.split(" ")[0])).toEqual(PROBLEM_CODES);
    expect(lines.find((line) => line.startsWith("not_found"))).toMatch(/^not_found +404 +no +4 +The path/);
  });

  test("writes JSON, one object for a code and an array for all", async () => {
    const one = await runCatalog(["explain", "Invalid-Credentials", "-f", "json"]);
    const all = await runCatalog(["explain", "-f", "json"]);
    expect(JSON.parse(one.stdout)).toEqual({
      code: "invalid_credentials",
      status: 401,
      retryable: false,
      title: "Invalid credentials",
      meaning: expect.any(String),
      recovery: expect.any(String),
      remedy: expect.stringContaining("catalog auth status"),
      exit_code: EXIT.credentials,
    });
    expect(JSON.parse(all.stdout)).toContainEqual(JSON.parse(one.stdout));
  });

  test("refuses a code that does not exist and names the closest", async () => {
    const { code, stdout, stderr } = await runCatalog(["explain", "rate_limit"]);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toContain("Did you mean rate_limited");
    expect(stderr).toContain("  catalog explain rate_limited\n");
  });

  test("is what an error of the service points to", async () => {
    const { url } = await startTestService();
    const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: "x".repeat(43) };
    const { stderr } = await runCatalog(["coverage"], { env });
    expect(stderr).toMatch(/invalid_credentials · request \S+ · catalog explain invalid_credentials\n$/);
  });
});
