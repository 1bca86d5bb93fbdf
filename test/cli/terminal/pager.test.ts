import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { EXIT } from "../../../src/contract/errors.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { products } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";

test.each<[title: string, pager: string, rows?: number]>([
  ["does not exist", "no-such-pager 2>/dev/null"],
  ["ends with an error", "exit 1"],
  ["is too long for the system to start", `: ${"x".repeat(4_000_000)}`],
  ["has no screen, because the terminal has no size", "exit 0", 0],
])("the table is written plainly if the pager %s", async (_, PAGER, rows = 10) => {
  const service = await startTestService({ rows: products(40) });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows });
  expect(await runInProcess(["sample", "--columns", "sku"], { service, stdout, env: { PAGER } })).toMatchObject({
    code: EXIT.ok,
    stderr: "",
  });
  expect(String(stdout.read()).match(/^sku-/gm)).toHaveLength(40);
});
