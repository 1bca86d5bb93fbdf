import type { Command, CommanderError, Option } from "commander";
import { UsageError } from "../../contract/errors.ts";
import { closest, misspelt, similar } from "../../contract/values/closest.ts";
import { editDistance } from "../../contract/values/edit-distance.ts";
import { parseToCursor } from "../command-line.ts";
import { commandPath } from "../help-layout.ts";

/** Turns an error of commander into a usage error like that of any other wrong command line. */
export function usageErrorOf(error: CommanderError, argv: readonly string[], program: Command): UsageError {
  const keyFlag = argv.map(flagIn).find(isForKey);
  if (keyFlag !== undefined) {
    return keyError(`unknown option '${keyFlag}'`);
  }
  const { command, unknownFlag = "", operands } = parseToCursor(program, [...argv, ""]);
  const see = `see \`${commandPath(command)} --help\`.`;
  const message = `${error.message.replace(/^error: /, "").replace(/\.$/, "")}; ${see}`;
  switch (error.code) {
    case "commander.help":
      return new UsageError(`\`${commandPath(command)}\` needs one of its commands; ${see}`);
    case "commander.unknownOption":
      return unknownFlagError(flagIn(unknownFlag), command, argv);
    case "commander.unknownCommand": {
      const [value = ""] = operands;
      return new UsageError(`unknown command '${value}'; ${see}`, { suggestions: likeCommands(value, command), value });
    }
    case "commander.excessArguments":
      return commandPath(command) === LOGIN ? keyError("too many arguments") : new UsageError(message);
    default:
      return new UsageError(message);
  }
}

const LOGIN = "catalog auth login";

/** Whether a flag was probably meant to take the API key; no flag of this tool has such a name. */
function isForKey(flag: string): boolean {
  const name = withoutDashes(flag).toLowerCase().replaceAll(/[-_]/g, "");
  const isKey = /(?:key|token|secret|password|bearer)$/.test(name) || editDistance(name, "apikey", 1) <= 1;
  return flag.startsWith("--") && isKey;
}

/** The message repeats only the flag, because the rest of the command line may contain the key. */
function keyError(what: string): UsageError {
  return new UsageError(
    `${what}: no flag or argument takes the API key, because other users can see a command line. ` +
      `Store it with \`${LOGIN}\`, which asks for it or reads a pipe; store a command that prints it with ` +
      `\`${LOGIN} --api-key-command\`; or set CATALOG_API_KEY or CATALOG_API_KEY_FILE.`,
  );
}

function unknownFlagError(flag: string, command: Command, argv: readonly string[]): UsageError {
  const name = commandPath(command);
  const see = `see \`${name} --help\`.`;
  const flags = command.createHelp().visibleOptions(command);
  const isBeforeCommand = argv.map(flagIn).indexOf(flag) < argv.indexOf(command.name());
  if (flags.some(({ long, short }) => long === flag || short === flag)) {
    return new UsageError(`the option '${flag}' must come after the name of its command: \`${name} ${flag}\`; ${see}`);
  }
  if (command.commands.length > 0) {
    const meant = misspelt(
      flag,
      flags.flatMap(({ long }) => long ?? []),
    );
    return new UsageError(`unknown option '${flag}', and \`${name}\` needs one of its commands; ${see}`, {
      suggestions: meant === undefined ? [] : [meant],
      value: flag,
    });
  }
  const { suggestions, isSure } = likeFlags(withoutDashes(flag), flags);
  return new UsageError(`unknown option '${flag}'; ${see}`, {
    suggestions,
    // Even the corrected flag is refused before the name of its command. The value of a flag that is only guessed may be a
    // secret, so it is not repeated.
    ...(isSure && !isBeforeCommand && { value: flag }),
  });
}

function likeCommands(name: string, command: Command): string[] {
  const commands = command.createHelp().visibleCommands(command);
  return closest(
    name,
    commands.map((known) => known.name()),
  );
}

/** The flags that `name` may stand for, such as `--format=json` for `--json`, and whether the first is more than a guess. */
function likeFlags(name: string, flags: readonly Option[]): { suggestions: string[]; isSure: boolean } {
  if (flags.find(({ long }) => long === "--format")?.argChoices?.includes(name)) {
    return { suggestions: [`--format=${name}`], isSure: true };
  }
  const names = flags.flatMap(({ long }) => (long === undefined ? [] : withoutDashes(long)));
  const found = name.length < 2 ? [] : closest(name, names);
  return { suggestions: found.map((flag) => `--${flag}`), isSure: similar(name, found).length > 0 };
}

/** The flag in `--flag=value`, or the whole word. */
function flagIn(word: string): string {
  return /^(--?[^=]+)=/s.exec(word)?.[1] ?? word;
}

function withoutDashes(flag: string): string {
  return flag.replace(/^--?/, "");
}
