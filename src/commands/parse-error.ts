import type { CommanderError } from "commander";
import { closest } from "../contract/closest.ts";
import { UsageError } from "../errors.ts";
import { COMMANDS } from "./table.ts";
import { quoted } from "./values.ts";

/** What the parser refused, as the error that every other wrong command line ends in. */
export function usageErrorOf(error: CommanderError, argv: readonly string[]): UsageError {
  if (error.code === "commander.help") {
    const command = ["catalog", ...pathOf(argv)].join(" ");
    return new UsageError(`\`${command}\` needs one of its commands; see \`${command} --help\`.`);
  }
  const [message = "", hint = ""] = error.message.replace(/^error: /, "").split("\n");
  return choiceError(message, argv) ?? otherError(message, hint, argv);
}

function choiceError(message: string, argv: readonly string[]): UsageError | undefined {
  const found = /^option '(.*)' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(message);
  if (found === null) {
    return undefined;
  }
  const [, declaration = "", value = "", choices = ""] = found;
  const flags = declaration.match(/(?<!\w)--?[\w-]+/g) ?? [];
  const flag = flags.find((name) => argv.some((typed) => typed === name || typed.startsWith(`${name}=`)));
  return new UsageError(`${flags.at(-1)} ${quoted(value)} is none of ${choices}.`, {
    suggestions: closest(value, choices.split(", ")),
    value,
    ...(flag === undefined ? {} : { flag }),
  });
}

function otherError(message: string, hint: string, argv: readonly string[]): UsageError {
  const suggestions = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(hint)?.[1]?.split(", ") ?? [];
  const value = /^unknown (?:option|command) '([^=]*)(?:=.*)?'$/.exec(message)?.[1];
  const help = ["catalog", ...pathOf(argv).slice(0, 1), "--help"].join(" ");
  return new UsageError(`${message.replace(/\.?$/, "")}; see \`${help}\`.`, {
    suggestions,
    ...(value === undefined ? {} : { value }),
  });
}

/** The words from the command's name to the first flag. */
function pathOf(argv: readonly string[]): string[] {
  const names = new Set(COMMANDS.map(({ name }) => name));
  const start = argv.findIndex((word) => names.has(word));
  const words = start === -1 ? [] : argv.slice(start);
  const end = words.findIndex((word) => word.startsWith("-"));
  return end === -1 ? words : words.slice(0, end);
}
