import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { fsyncFolder } from "../../src/files/fsync.ts";

/** Lets no folder be opened, as the system does for one that may be written but not listed; root may list each. */
function refuseOpen(code: string): void {
  const spy = vi.spyOn(files, "open").mockRejectedValue(Object.assign(new Error("open failed"), { code }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test.each(["EACCES", "EPERM", "EISDIR"])("a folder that cannot be opened is not synced (%s)", async (code) => {
  refuseOpen(code);
  expect(await fsyncFolder("folder")).toBeUndefined();
});

test.each(["ENOENT", "EMFILE", "EIO"])("another error of a folder is reported (%s)", async (code) => {
  refuseOpen(code);
  await expect(fsyncFolder("folder")).rejects.toMatchObject({ code });
});
