import { join } from "node:path";
import { expect, test } from "vitest";
import { FileError } from "../../../src/errors.ts";
import { openSqlSession } from "../../../src/mirror/sql/session.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

/** A session whose files are still being compared. `fail` ends that with an error. */
async function sessionBeforeTheCheck() {
  const spillFolder = await temporaryFolder();
  let fail: (error: Error) => void = () => undefined;
  const checked = new Promise<void>((_, reject) => {
    fail = reject;
  });
  checked.catch(() => undefined);
  const session = await openSqlSession({
    setUp: ["CREATE VIEW rows AS SELECT 1 AS one"],
    files: [],
    resultFile: join(spillFolder, "result.parquet"),
    ...{ spillFolder, memory: 64 * 1024 ** 2, checked, signal: new AbortController().signal },
  });
  return { session, fail };
}

test.each(["query", "writeParquet"] as const)("%s gives nothing out before the files are compared", async (ask) => {
  for (const sql of ["from rows", "from nowhere"]) {
    const { session, fail } = await sessionBeforeTheCheck();
    const answer = session[ask](sql).finally(() => session.close());
    const damaged = new FileError("a day is damaged", "part-0.parquet");
    fail(damaged);
    await expect(answer).rejects.toBe(damaged);
  }
});
