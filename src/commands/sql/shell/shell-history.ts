import { join } from "node:path";
import type { Context } from "../../../cli/context.ts";
import { readOwnFile } from "../../../files/own-file.ts";
import { replacePrivateFile } from "../../../files/replace-file.ts";

/** Most lines that are kept. */
export const MOST_LINES = 1000;

/** Most characters of a line that is kept. */
const LONGEST_LINE = 10_000;

/** Lines that were typed in shells. Only the user can read the file. */
export interface History {
  /** Oldest first. */
  lines(): readonly string[];
  /** Keeps a line after those that other shells have kept meanwhile. */
  add(line: string): Promise<void>;
}

/** @param onNotKept called with the reason, once, if the lines cannot be kept */
export async function openHistory(
  { folders, pid }: Pick<Context, "folders" | "pid">,
  onNotKept: (reason: string) => void,
): Promise<History> {
  const path = join(folders.data ?? "", "sql-history");
  let isKept = folders.data !== undefined;
  const orTold = async <T>(action: () => Promise<T>): Promise<T | undefined> => {
    try {
      return isKept ? await action() : undefined;
    } catch (error) {
      isKept = false;
      onNotKept((error as Error).message);
      return undefined;
    }
  };
  const read = async () => {
    const text = await readOwnFile(path, MOST_LINES * LONGEST_LINE * 4);
    return (text ?? "").split("\n").filter((line) => line !== "");
  };
  let lines = (await orTold(read)) ?? [];
  return {
    lines: () => lines,
    add: async (line) => {
      if (line.trim() === "" || line === lines.at(-1) || line.length > LONGEST_LINE) {
        return;
      }
      const kept = await orTold(read);
      lines = [...(kept ?? lines), line].slice(-MOST_LINES);
      if (kept !== undefined) {
        await orTold(() => replacePrivateFile(path, lines.map((one) => `${one}\n`).join(""), pid));
      }
    },
  };
}
