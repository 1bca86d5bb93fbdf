import { readdirSync, readlinkSync } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { onTestFinished, vi } from "vitest";

/** Follows what is synced to disk until the test ends: each file or folder, with the names that `folder` had just then. */
export async function followSyncs(folder: string): Promise<{ kind: "file" | "folder"; names: string[] }[]> {
  const syncs: { kind: "file" | "folder"; names: string[] }[] = [];
  const handle = await open(folder);
  const handles: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = handles;
  const spy = vi.spyOn(handles, "sync").mockImplementation(async function (this: FileHandle) {
    const kind = (await this.stat()).isDirectory() ? "folder" : "file";
    syncs.push({ kind, names: (await readdir(folder, { recursive: true })).sort() });
    await sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return syncs;
}

/** Paths below `folder` that this process has open (Linux). */
export function openPaths(folder: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The folder of the descriptors itself was among them.
      return [];
    }
  });
}
