import { expect, test } from "vitest";
import { runInProcess } from "../../helpers/in-process.ts";
import { products } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";

test.each([
  [{ LANG: "C" }, false],
  [{ LANG: "de_DE.ISO-8859-1" }, false],
  [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, false],
  [{ LANG: "en_US.utf8" }, true],
  [{}, true],
])("a terminal with the locale %j gets letters of UTF-8: %s", async (env, hasBoxes) => {
  const service = await startTestService({ rows: products(3) });
  const { stdout } = await runInProcess(["coverage", "--no-color"], { service, columns: 80, env });
  expect([/─/.test(stdout), /^-+ /m.test(stdout)]).toEqual([hasBoxes, !hasBoxes]);
});

test("a table in a file has letters of UTF-8 in every locale", async () => {
  const service = await startTestService({ rows: products(3) });
  const { stdout } = await runInProcess(["coverage", "-f", "table"], { service, env: { LANG: "C" } });
  expect(stdout).toContain("─");
});
