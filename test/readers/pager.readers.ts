import { expect, test } from "vitest";
import { products } from "../helpers/products.ts";
import { renderScreen } from "../helpers/screen.ts";
import { startTestService } from "../helpers/service.ts";
import { CTRL_C, runInTerminal, type TerminalOptions } from "../helpers/terminal.ts";

/** Shows 40 rows on a screen of ten lines. */
async function sample(args: readonly string[], { env, ...options }: Pick<TerminalOptions, "env" | "rows" | "typed">) {
  const { url, key } = await startTestService({ rows: products(40) });
  const service = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const { code, output } = await runInTerminal(["sample", "--columns", "sku", ...args], {
    rows: 10,
    ...options,
    env: { ...service, ...env },
  });
  return { code, output, lines: renderScreen(output.replaceAll("\x1b[K", ""), { columns: 100, rows: 60 }).lines };
}

const MARKED = { PAGER: "sed 's/^/through the pager: /'" };

test("a table that is longer than the screen goes through the pager", async () => {
  const { code, lines } = await sample([], { env: MARKED });
  expect(code).toBe(0);
  expect(lines.filter((line) => line.startsWith("through the pager: "))).toHaveLength(42);
  expect(lines.at(-2)).toBe("40 of 40 matching rows");
});

test.each<[string, string[], Pick<TerminalOptions, "env" | "rows">]>([
  ["a screen that is long enough", [], { env: MARKED, rows: 60 }],
  ["--no-pager", ["--no-pager"], { env: MARKED }],
  ["an empty PAGER", [], { env: { PAGER: "" } }],
  ["a format that is data", ["-f", "csv"], { env: MARKED }],
  ["a pager that does not exist", [], { env: { PAGER: "no-such-pager" } }],
  ["a pipe from a pager that does not exist", [], { env: { PAGER: "no-such-pager | cat" } }],
  ["a pager that refuses its options", [], { env: { PAGER: "head --no-such-option" } }],
])("the table is written at once with %s", async (_, args, options) => {
  const { code, lines } = await sample(args, options);
  expect(code).toBe(0);
  expect(lines.some((line) => line.startsWith("through the pager"))).toBe(false);
  expect(lines.filter((line) => line.startsWith("sku-"))).toHaveLength(40);
});

test("a pager that ends early is no error", async () => {
  const { code, lines } = await sample([], { env: { PAGER: "head -3" } });
  expect({ code, rows: lines.filter((line) => line.startsWith("sku-")).length }).toEqual({ code: 0, rows: 1 });
});

test("Ctrl-C is the pager's business as long as it runs", async () => {
  // A pager that stays when it is interrupted, as less does, and ends when it is told to.
  const pager =
    "sh -c 'trap \"echo interrupted\" INT; cat; echo ready; read answer < /dev/tty; read answer < /dev/tty; echo ended'";
  const { code, output } = await sample([], {
    env: { PAGER: pager },
    typed: [
      { after: "ready", text: CTRL_C },
      { after: "interrupted", text: "\r" },
      { after: "\r\n", text: "\r" },
    ],
  });
  expect(code).toBe(0);
  expect(output).toContain("ended");
});
