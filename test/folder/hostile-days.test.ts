import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { fingerprint } from "../../src/files/fingerprint.ts";
import { readSyncedFolder, writeState } from "../../src/folder/folder-state.ts";
import { hostileParquetFiles } from "../helpers/hostile-parquet.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { servedFolder } from "../helpers/synced-folder.ts";

const DAY = "2026-01-01";
const NEXT = "2026-01-02";

test("day files of a folder that somebody made to hold or end the tool are refused", async () => {
  const { folder, file, sync } = await servedFolder(
    [DAY, NEXT].map((crawl_date) => product({ crawl_date, sku: "s0" })),
  );
  await sync();
  for (const bytes of hostileParquetFiles()) {
    await writeFile(file(DAY), bytes);
    const state = await readSyncedFolder(folder);
    Object.assign(state.days[DAY] ?? {}, await fingerprint(file(DAY)));
    await writeState(folder, state);
    expect(await runInProcess(["diff", folder, "--no-as-of", "--from", DAY, "--to", NEXT])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: /),
    });
  }
});
