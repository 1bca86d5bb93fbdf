import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { sixteenDays, syncedFolder } from "../helpers/synced-folder.ts";
import { CTRL_C, CTRL_D, runInTerminal, type TerminalOptions } from "../helpers/terminal.ts";

/** Runs for hours. */
const LONG_QUERY = "select count(*) from range(1000000000000) numbers(n) where n % 7 = random()";

async function shell(typed: NonNullable<TerminalOptions["typed"]>, options: Partial<TerminalOptions> = {}) {
  const folder = await syncedFolder(sixteenDays());
  return await runInTerminal(["sql"], {
    ...{ cwd: folder, columns: 200, rows: 10, typed },
    ...options,
    env: { XDG_DATA_HOME: await temporaryFolder(), NO_COLOR: "1", ...options.env },
  });
}

test("Ctrl-C ends a running query, and the shell goes on", async () => {
  const { code, output, isRestored } = await shell([
    { after: "sql> ", text: `select 'begun' as x; ${LONG_QUERY};\r` },
    { after: "1 row", text: CTRL_C },
    { after: "interrupted", text: "select 6 * 7 as answer;\r" },
    { after: "42", text: "" },
    { after: "sql> ", text: CTRL_D },
  ]);
  expect([code, isRestored]).toEqual([0, true]);
  expect(output).toContain("answer");
});

test("a table that is longer than the screen goes through the pager, and the shell goes on after it", async () => {
  const pager = "sed 's/^/paged: /'; read answer < /dev/tty; echo left with $answer";
  const { code, output, isRestored } = await shell(
    [
      { after: "sql> ", text: "from days;\r" },
      { after: "2026-01-16", text: "q\r" },
      { after: "left with q", text: "" },
      { after: "sql> ", text: ".quit\r" },
    ],
    { env: { PAGER: pager } },
  );
  expect([code, isRestored]).toEqual([0, true]);
  expect(output.match(/^paged: 2026-01-\d\d /gm)).toHaveLength(16);
});
