import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { type CursorPosition, longOf } from "../../cli/cursor-position.ts";
import { SERVICE_ERRORS, TOOL_ERRORS } from "../../cli/errors/error-table.ts";
import { isRepeatable, pathKindOf, placeholderOf } from "../../cli/flags/flag-checks.ts";
import { NamesOption } from "../../cli/flags/values.ts";
import { parseRcd, type Rcd } from "../../contract/filters.ts";
import { TOPICS } from "../help/topics.ts";

export interface Candidate {
  value: string;
  description: string;
}

/** What the shell offers: these words, or files or folders. */
export interface Completion {
  /** `list`: another value may follow after a comma, so the shell adds no space. */
  kind: "words" | "list" | "files" | "folders";
  candidates: readonly Candidate[];
}

/** Values that are not in any declaration. */
export interface KnownValues {
  /** Combinations as `retailer:category:department`. */
  rcds: readonly string[];
  profiles: readonly string[];
}

/** Words that no shell interprets. Others are not offered, because slugs come from a service. */
const PLAIN = /^[\w.:@%+/-]+$/;

export function complete(position: CursorPosition, known: KnownValues): Completion {
  if (position.option !== undefined) {
    return optionValues(position.option, position, known);
  }
  return position.typed.startsWith("-") ? words(position, flagsOf(position)) : operandsOf(position);
}

function flagsOf({ command, typed, values }: CursorPosition): Candidate[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter((option) => isRepeatable(option) || !values.has(longOf(option)))
    .map((option) => ({
      value: typed.startsWith("--") ? longOf(option) : (option.short ?? longOf(option)),
      description: help.optionDescription(option),
    }));
}

function operandsOf(position: CursorPosition): Completion {
  const { command, operands, values } = position;
  const help = command.createHelp();
  const commands = help
    .visibleCommands(command)
    .map((subcommand) => ({ value: subcommand.name(), description: help.subcommandDescription(subcommand) }));
  // `sync` has a subcommand, too, but what usually follows it is a folder.
  if (command.commands.length > 0 && command.registeredArguments.length === 0) {
    return words(position, commands);
  }
  const argument =
    command.registeredArguments[operands.length] ?? command.registeredArguments.findLast((last) => last.variadic);
  if (argument === undefined) {
    return words(position, []);
  }
  // A folder may follow a product, or the words of --search.
  const isFolder = argument.name() === "sku" && (operands.length > 0 || values.has("--search"));
  const kind = isFolder ? "folders" : pathKindOf(argument.name());
  return kind === undefined ? words(position, operandValues(argument, position)) : { kind, candidates: [] };
}

function operandValues(argument: Argument, { command }: CursorPosition): readonly string[] {
  switch (argument.name()) {
    case "code":
      return [...SERVICE_ERRORS, ...TOOL_ERRORS].map(({ code }) => code);
    case "topic":
      return [...Object.keys(TOPICS), ...siblingsOf(command).map((sibling) => sibling.name())];
    default:
      return argument.argChoices ?? [];
  }
}

function siblingsOf({ parent }: CommandUnknownOpts): CommandUnknownOpts[] {
  return parent?.createHelp().visibleCommands(parent) ?? [];
}

function optionValues(option: Option, position: CursorPosition, { rcds, profiles }: KnownValues): Completion {
  if (option.argChoices !== undefined) {
    return words(position, option.argChoices);
  }
  if (option instanceof NamesOption) {
    return option.isList ? { ...listOf(position, option.names), kind: "list" } : words(position, option.names);
  }
  switch (option.long) {
    case "--retailer":
    case "--category":
    case "--department":
      return listOf(position, slugs(option.long.slice(2) as keyof Rcd, position, rcds));
    case "--rcd":
      return { ...listOf(position, rcds), kind: "list" };
    case "--profile":
      return words(position, profiles);
    default:
      break;
  }
  const what = placeholderOf(option);
  return what === "date" || what === "day"
    ? words(position, ["today", "yesterday", "latest", "7d", "30d", "latest-7d"])
    : { kind: pathKindOf(what) ?? "words", candidates: [] };
}

/** Slugs of combinations that match the typed flags. */
function slugs(name: keyof Rcd, { values }: CursorPosition, rcds: readonly string[]): string[] {
  const typed = (["retailer", "category", "department"] as const).flatMap((other) => {
    const value = values.get(`--${other}`);
    return other === name || value === undefined ? [] : [{ other, value }];
  });
  return rcds
    .flatMap((rcd) => parseRcd(rcd) ?? [])
    .filter((rcd) => typed.every(({ other, value }) => value.split(",").includes(rcd[other])))
    .map((rcd) => rcd[name]);
}

function listOf(position: CursorPosition, known: readonly string[]): Completion {
  const cut = position.typed.lastIndexOf(",") + 1;
  const before = position.typed.slice(0, cut);
  const taken = new Set(before.split(","));
  const left = known.filter((value) => !taken.has(value));
  return words({ ...position, prefix: position.prefix + before, typed: position.typed.slice(cut) }, left);
}

function words({ prefix, typed }: CursorPosition, values: readonly (string | Candidate)[]): Completion {
  const candidates = [...new Set(values)]
    .map((value) => (typeof value === "string" ? { value, description: "" } : value))
    .filter(({ value }) => value.startsWith(typed) && PLAIN.test(value))
    .map(({ value, description }) => ({ value: prefix + value, description }));
  return { kind: "words", candidates };
}
