import { expect, test } from "vitest";
import { PROBLEM_CODES, PROBLEMS } from "../../../../src/contract/problems.ts";
import { startTestService } from "../../../helpers/service.ts";

const errorBase = "https://docs.example";

test("the JSON catalogue has every code with its fixed texts", async () => {
  const service = await startTestService({ errorBase });

  const { body } = await service.get("/errors.json");

  expect(body).toEqual({
    errors: PROBLEM_CODES.map((code) => ({ code, type: `${errorBase}/errors#${code}`, ...PROBLEMS[code] })),
  });
});

test("the type of a problem links to its entry on the page, which has the same recovery text", async () => {
  const service = await startTestService();
  const { body: problem } = await service.get("/v1/nowhere");

  const { text } = await service.get(problem.type.slice(service.url.length));

  const entry = text.slice(text.indexOf(`id="${problem.code}"`)).split("</section>")[0];
  expect(entry).toContain(problem.recovery);
});

test("the catalogue is a page, unless a client asks for JSON", async () => {
  const service = await startTestService();
  const accepted = [
    ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"],
    ["*/*", "text/html; charset=utf-8"],
    ["application/json", "application/json"],
    ["Application/JSON;q=0.9, text/html;q=0.1", "application/json"],
    ["application/json;q=0.1, text/html", "text/html; charset=utf-8"],
  ] as const;

  for (const [accept, type] of accepted) {
    const { headers } = await service.get("/errors", { headers: { accept } });
    expect({ accept, contentType: headers.get("content-type"), vary: headers.get("vary") }).toEqual({
      accept,
      contentType: type,
      vary: "Accept",
    });
  }
});
