import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { refuseTilde } from "../../config/expanded-path.ts";
import { UsageError } from "../../contract/errors.ts";
import { checkChoice, collectValues, flagError } from "./values.ts";

/** The word for the value of an option, `file` in `--output <file>`; empty for an option without a value. */
export function placeholderOf({ flags }: Option): string {
  return /<([^>]*)>/.exec(flags)?.[1] ?? "";
}

/** What a value is a path of, by the word for it: the placeholder of an option, or the name of an operand. */
export function pathKindOf(placeholder: string): "folders" | "files" | undefined {
  if (/^(dir|folder)/.test(placeholder)) {
    return "folders";
  }
  return /^(file|basket)/.test(placeholder) ? "files" : undefined;
}

/** The paths that options and operands give a command, with the option, or `the` and the name of the operand. */
export function pathsOf(command: CommandUnknownOpts) {
  const options = command.options.map((option) => ({
    word: placeholderOf(option),
    value: command.getOptionValue(option.attributeName()) as unknown,
    source: option.long ?? option.flags,
  }));
  const operands = command.registeredArguments.map((argument, index) => ({
    word: argument.name(),
    value: command.processedArgs[index] as unknown,
    source: `the ${argument.name()}`,
  }));
  return [...options, ...operands].flatMap(({ word, value, source }) => {
    const kind = pathKindOf(word);
    const paths = kind === undefined ? [] : [value].flat().filter((path) => typeof path === "string");
    return paths.map((path) => ({ path, kind, source }));
  });
}

/** Makes the program refuse empty paths, as `"$UNSET"` is, and those with a `~` that the shell did not expand. */
export function refuseUnusablePaths(program: CommandUnknownOpts): void {
  program.hook("preAction", (_, command) => {
    for (const { path, kind, source } of pathsOf(command)) {
      if (path === "") {
        const word = kind === "folders" ? "folder" : "file";
        throw source.startsWith("--")
          ? flagError(source, `is empty; name a ${word}.`)
          : new UsageError(`the name of the ${word} is empty.`);
      }
      refuseTilde(path, source);
    }
  });
}

export function isRepeatable(option: Option): boolean {
  return option.parseArg === collectValues;
}

/**
 * Makes the program reject a value that is not one of the choices of an option or operand, and suggest the closest ones;
 * commander would only list them all.
 */
export function refuseOtherChoices(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const { argChoices: choices, long = option.flags } = option;
    if (choices !== undefined && !isRepeatable(option)) {
      option.argParser((value: string) => checkChoice(value, choices, long));
    }
  }
  for (const argument of command.registeredArguments) {
    const { argChoices: choices } = argument;
    if (choices !== undefined) {
      argument.argParser((value: string) => checkChoice(value, choices, `the ${argument.name()}`));
    }
  }
  command.commands.forEach(refuseOtherChoices);
}

/** Flags that commander and the program take without a declaration. */
const BUILT_IN = ["-h", "--help", "--version"];

/** Makes the program refuse a flag in the place of a value, as in `-o --resume`; commander would take it for one. */
export function refuseFlagsAsValues(command: CommandUnknownOpts): void {
  const flags = new Set<unknown>([...command.options.flatMap(({ long, short }) => [long, short]), ...BUILT_IN]);
  for (const option of command.options) {
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (value !== undefined && flags.has(value)) {
        throw flagError(option.long ?? option.flags, `has no value: ${value} is a flag, too.`);
      }
    });
  }
  command.commands.forEach(refuseFlagsAsValues);
}

/**
 * Makes the program refuse an option that is given twice, unless it is repeatable; commander would silently take the last
 * value. An option and its `--no-` form count as the same, wherever they stand.
 */
export function refuseRepeatedFlags(program: CommandUnknownOpts): void {
  const given = new Map<string, string>();
  const watch = (command: CommandUnknownOpts): void => {
    for (const option of command.options.filter((declared) => !isRepeatable(declared))) {
      const flag = option.long ?? option.flags;
      command.on(`option:${option.name()}`, () => {
        const earlier = given.get(option.attributeName());
        if (earlier !== undefined) {
          const what = earlier === flag ? "is given twice" : `cannot be combined with ${earlier}`;
          throw flagError(flag, `${what}; give only one.`);
        }
        given.set(option.attributeName(), flag);
      });
    }
    command.commands.forEach(watch);
  };
  watch(program);
}
