import { realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { quoted } from "../../contract/values/phrases.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { pathsOf } from "./flag-checks.ts";
import { flagError } from "./values.ts";

/**
 * Refuses an output that would replace what the command reads: a file that an operand or another flag names, or one that
 * sync keeps in a synced folder.
 *
 * @throws UsageError
 */
export async function refuseReplacedInput(command: CommandUnknownOpts): Promise<void> {
  const { output, html, with: tables = [] }: Record<string, unknown> = command.opts();
  // `--with NAME=FILE`
  const files = [tables].flat().map((table) => String(table).replace(/^.*?=/s, ""));
  const others = pathsOf(command).filter(({ source }) => source !== "--output" && source !== "--html");
  const inputs = [...files, ...others.map(({ path }) => path)];
  for (const [flag, path] of Object.entries({ "--output": output, "--html": html })) {
    if (typeof path !== "string" || isStdout(path)) {
      continue;
    }
    for (const input of inputs) {
      if (await isSameFile(path, input)) {
        throw flagError(flag, `${quoted(path)} would replace a file that this command reads; name another file.`);
      }
    }
    if (await isInSyncedFolder(path)) {
      throw flagError(flag, `${quoted(path)} is in a folder that \`catalog sync\` keeps; name a file elsewhere.`);
    }
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return a?.isFile() === true && a.ino === b?.ino && a.dev === b.dev;
}

/** Whether a path, with links resolved, is inside a day folder or `.catalog` of a synced folder. */
async function isInSyncedFolder(path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => realpath(dirname(path)).catch(() => undefined));
  if (target === undefined) {
    return false;
  }
  for (let entry = target; entry !== dirname(entry); entry = dirname(entry)) {
    if (/^(\.catalog$|crawl_date=)/.test(basename(entry)) && (await isSyncedFolder(dirname(entry)))) {
      return true;
    }
  }
  return false;
}
