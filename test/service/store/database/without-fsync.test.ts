import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openFileDatabase } from "../../../../src/service/store/database/sqlite-database.ts";
import { temporaryFolder } from "../../../helpers/cli.ts";

test.each([
  ["has no fsync, as some network drives, SQLite leaves it out", true, [0, 0]],
  ["has fsync, SQLite waits for the disk", false, [2, 1]],
])("where the file system %s", async (_, isRefused, expected) => {
  const folder = await temporaryFolder();
  const handle = await open(folder);
  const spy = vi.spyOn(Object.getPrototypeOf(handle), "datasync");
  await handle.close();
  onTestFinished(() => spy.mockRestore());
  if (isRefused) {
    spy.mockRejectedValue(Object.assign(new Error("EINVAL"), { code: "EINVAL" }));
  }

  const { reader, writer, windows } = await openFileDatabase(join(folder, "service.db"));
  onTestFinished(async () => void (await Promise.all([reader, writer, windows].map(({ close }) => close()))));
  const setting = async (name: string) => {
    const [row] = await windows.use((session) => session.query<{ synchronous: number }>(`PRAGMA ${name}`));
    return row?.synchronous;
  };
  expect([await setting("synchronous"), await setting("limits.synchronous")]).toEqual(expected);
});
