import type { Command } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { parseToCursor } from "../../cli/cursor-position.ts";
import { readConfig } from "../../config/config-file.ts";
import { findProfile, resolveBaseUrl } from "../../config/settings.ts";
import { readVocabulary } from "../../config/vocabulary.ts";
import { complete } from "./candidates.ts";

/**
 * Declares the command that the completion scripts call: `__complete -- WORD...` with the words after the program name up to
 * the cursor, the last of which may be empty, or `__complete --line LINE` with the command line up to the cursor. The first
 * line of its output is the kind of completion; each further line is a candidate and, after a tab, its description.
 */
export function declare(command: Command, context: Context): void {
  command
    .argument("[words...]")
    .option("--line <line>")
    .action(async (words, { line }) => {
      const program = command.parent ?? command;
      const typed = line === undefined ? words : splitLine(line).slice(1);
      const position = parseToCursor(program, typed);
      const profiles = await readConfig(context).then(
        (config) => [...config.profiles.keys()],
        () => [],
      );
      const rcds = await combinationsOf(position.values, context);
      const { kind, candidates } = complete(position, { profiles, rcds });
      const lines = candidates.map(({ value, description }) => `${value}\t${description.replace(/\s+/g, " ")}`);
      await context.print([kind, ...lines].map((text) => `${text}\n`).join(""));
    });
}

async function combinationsOf(values: ReadonlyMap<string, string>, context: Context): Promise<string[]> {
  if (values.has("--demo")) {
    return await readVocabulary({ service: "demo", profile: undefined }, context);
  }
  try {
    const profile = await findProfile(values.get("--profile"), context);
    const baseUrl = resolveBaseUrl(values.get("--base-url"), context, profile);
    return await readVocabulary({ service: baseUrl.href, profile: profile?.name }, context);
  } catch {
    return [];
  }
}

/**
 * Splits a command line into words like a shell, without substitutions. An open quote extends to the end. After white space
 * at the end, the last word is empty.
 */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(/\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|\s+|[^\s\\'"]+/g)) {
    if (/^\s/.test(part)) {
      words.push(...(word === undefined ? [] : [word]));
      word = undefined;
    } else {
      word = (word ?? "") + unquoted(part);
    }
  }
  return [...words, word ?? ""];
}

function unquoted(part: string): string {
  switch (part[0]) {
    case "\\":
      return part.slice(1);
    case "'":
      return part.replace(/^'|'$/g, "");
    case '"':
      return part.replace(/^"((?:\\[\s\S]|[^"\\])*)"?$/, "$1").replace(/\\(["\\$`])/g, "$1");
    default:
      return part;
  }
}
