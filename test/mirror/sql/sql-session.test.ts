import { join } from "node:path";
import { expect, test } from "vitest";
import { FileError } from "../../../src/errors.ts";
import { openSqlSession } from "../../../src/mirror/sql/sql-session.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

const DAMAGED = new FileError("a day is damaged", "part-0.parquet");

/** A session whose files are still being compared. `fail` ends that with an error. */
async function sessionBeforeTheCheck({ setUp = ["CREATE VIEW rows AS SELECT 1 AS one"], damaged = false } = {}) {
  const spillFolder = await temporaryFolder();
  let fail: (error: Error) => void = () => undefined;
  const checked = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const ended = new AbortController();
  checked.catch((error: unknown) => ended.abort(error));
  if (damaged) {
    fail(DAMAGED);
    await Promise.allSettled([checked]);
  }
  const session = await openSqlSession({
    setUp,
    files: [],
    resultFile: join(spillFolder, "result.parquet"),
    ...{ spillFolder, memory: 64 * 1024 ** 2, checked, signal: ended.signal },
  });
  return { session, fail };
}

test.each(["query", "writeParquet"] as const)("%s gives nothing out before the files are compared", async (ask) => {
  for (const sql of ["from rows", "from nowhere"]) {
    const { session, fail } = await sessionBeforeTheCheck();
    const answer = session[ask](sql).finally(() => session.close());
    fail(DAMAGED);
    await expect(answer).rejects.toBe(DAMAGED);
  }
});

test("no session is opened once a file is known to be damaged, and the error names the file", async () => {
  await expect(sessionBeforeTheCheck({ setUp: [], damaged: true })).rejects.toBe(DAMAGED);
});
