import { expect, test } from "vitest";
import { runInProcess } from "../../helpers/in-process.ts";
import { products } from "../../helpers/products.ts";
import { sharedService } from "../../helpers/service.ts";

const service = sharedService({ rows: products(3) });

test.each([
  [{ LANG: "C" }, false],
  [{ LANG: "de_DE.ISO-8859-1" }, false],
  [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, false],
  [{ LANG: "en_US.utf8" }, true],
  [{}, true],
])("a terminal with the locale %j gets letters of UTF-8: %s", async (env, hasBoxes) => {
  const { stdout } = await runInProcess(["coverage", "--no-color"], { service: await service(), columns: 80, env });
  expect({ hasBoxes: /─/.test(stdout), hasDashes: /^-+ /m.test(stdout) }).toEqual({ hasBoxes, hasDashes: !hasBoxes });
});

test.each([[["export", "--dry-run"]], [["status"]]])("%j draws ASCII on a terminal without UTF-8", async (args) => {
  const run = (env = {}) => runInProcess([...args, "--demo", "--no-color"], { columns: 80, env });
  const [utf8, ascii] = [await run(), await run({ LANG: "C" })];
  expect([/[^ -~\n]/.test(utf8.stdout), /[^ -~\n]/.test(ascii.stdout)]).toEqual([true, false]);
});

test("an error is ASCII on a terminal without UTF-8", async () => {
  const args = ["coverage", "--retailer", "zzzz", "--no-color"];
  const { stderr } = await runInProcess(args, { service: await service(), columns: 200, env: { LANG: "C" } });
  expect(stderr).toMatch(/^unknown_retailer \| request [\w-]+ \| catalog explain unknown_retailer$/m);
});

test("a table in a file has letters of UTF-8 in every locale", async () => {
  const { stdout } = await runInProcess(["coverage", "-f", "table"], { service: await service(), env: { LANG: "C" } });
  expect(stdout).toContain("─");
});
