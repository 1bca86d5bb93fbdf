import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";

/** A command line, parsed up to its last word, where the cursor is. */
export interface CursorPosition {
  command: CommandUnknownOpts;
  /** The option whose value the last word is; undefined if it is no value. */
  option: Option | undefined;
  /** What precedes the word in the last argument: `--format=`, or earlier values of a comma list. */
  prefix: string;
  typed: string;
  /** The values of the options before the word, by long flag. */
  values: ReadonlyMap<string, string>;
  operands: readonly string[];
}

/** Parses a command line like commander, up to the last of `words`, which may be incomplete or empty. */
export function parseToCursor(program: CommandUnknownOpts, words: readonly string[]): CursorPosition {
  const before = words.slice(0, -1);
  const [last = ""] = words.slice(-1);
  const values = new Map<string, string>();
  let command = program;
  const operands: string[] = [];
  let pending: Option | undefined;
  for (const word of before) {
    if (pending !== undefined) {
      values.set(longOf(pending), word);
      pending = undefined;
      continue;
    }
    const [flag = "", ...rest] = word.split("=");
    const option = findOption(command, flag);
    const subcommand = command.commands.find((candidate) => candidate.name() === word);
    if (option !== undefined) {
      const takesValue = option.required || option.optional;
      values.set(longOf(option), rest.join("="));
      pending = takesValue && rest.length === 0 ? option : undefined;
    } else if (subcommand !== undefined) {
      command = subcommand;
      operands.length = 0;
    } else if (!/^-./.test(word)) {
      operands.push(word);
    }
  }
  const rest = { command, values, operands };
  if (pending !== undefined) {
    return { ...rest, option: pending, prefix: "", typed: last };
  }
  const [, prefix = "", typed = last] = /^(--[\w-]+=)(.*)$/s.exec(last) ?? [];
  return { ...rest, option: findOption(command, prefix.slice(0, -1)), prefix, typed };
}

export function longOf(option: Option): string {
  return option.long ?? option.flags;
}

function findOption(command: CommandUnknownOpts, flag: string): Option | undefined {
  for (let at: CommandUnknownOpts | null = command; at !== null; at = at.parent) {
    const option = at.options.find(({ long, short }) => flag !== "" && (long === flag || short === flag));
    if (option !== undefined) {
      return option;
    }
  }
  return undefined;
}
