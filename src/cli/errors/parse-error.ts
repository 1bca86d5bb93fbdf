import type { CommanderError, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { visible } from "../../contract/values/visible.ts";
import { parseToCursor } from "../cursor-position.ts";
import { commandPath } from "../help-layout.ts";

export function usageErrorOf(error: CommanderError, argv: readonly string[], program: CommandUnknownOpts): UsageError {
  const { command, operands } = parseToCursor(program, [...argv, ""]);
  const declared = command.createHelp().visibleOptions(command);
  const isDeclared = (flag: string) => declared.some(({ long }) => long === flag);
  const keyFlag = argv.map(flagIn).find((flag) => isForKey(flag) && !isDeclared(flag));
  if (keyFlag !== undefined) {
    return keyError(`unknown option '${keyFlag}'`);
  }
  const path = commandPath(command);
  const helpHint = `see \`${path} --help\`.`;
  // Escapes the line ends of words of the command line: in a usage error, a line end begins its details.
  const message = `${visible(error.message)
    .replace(/^error: /, "")
    .replace(/\.$/, "")}; ${helpHint}`;
  switch (error.code) {
    case "commander.help":
      return new UsageError(`\`${path}\` needs a subcommand; ${helpHint}`);
    case "commander.unknownOption":
      return unknownFlagError(flagIn(/'(.*)'/s.exec(error.message)?.[1] ?? ""), command, path, helpHint);
    case "commander.unknownCommand": {
      const [value = ""] = operands;
      const commands = command.createHelp().visibleCommands(command);
      const names = [...commands.map((known) => known.name()), ...(command === program ? ["--version"] : [])];
      const suggestions = closest(value, names);
      return new UsageError(`unknown command '${visible(value)}'; ${helpHint}`, { suggestions, value });
    }
    case "commander.excessArguments":
      return path === LOGIN ? keyError("too many arguments") : new UsageError(message);
    default:
      return new UsageError(message);
  }
}

const LOGIN = "catalog auth login";

function isForKey(flag: string): boolean {
  const name = withoutDashes(flag).toLowerCase();
  const isKey = /^api|(?:^|api|[-_])key$|(?:token|secret|password|bearer)$/.test(name);
  return flag.startsWith("--") && isKey && !name.startsWith("sort");
}

/** `what` must not quote anything but the flag: the rest of the command line may contain the key. */
function keyError(what: string): UsageError {
  return new UsageError(
    `${what}: no flag or argument takes the API key, because other users can see command lines. ` +
      `Store it with \`${LOGIN}\`, which asks for it or reads a pipe; store a command that prints it with ` +
      `\`${LOGIN} --api-key-command\`; or set CATALOG_API_KEY or CATALOG_API_KEY_FILE.`,
  );
}

function unknownFlagError(flag: string, command: CommandUnknownOpts, path: string, helpHint: string): UsageError {
  const flags = command.createHelp().visibleOptions(command);
  if (flags.some(({ long, short }) => long === flag || short === flag)) {
    return new UsageError(
      `the option '${flag}' must come after the name of its command: \`${path} ${flag}\`; ${helpHint}`,
    );
  }
  const needed = command.commands.length > 0 ? `, and \`${path}\` needs a subcommand` : "";
  const suggestions = suggestedFlags(withoutDashes(flag), flags);
  return new UsageError(`unknown option '${visible(flag)}'${needed}; ${helpHint}`, { suggestions, value: flag });
}

/** The flags that `name` was probably meant to be, such as `--format=json` for `--json`. */
function suggestedFlags(name: string, flags: readonly Option[]): string[] {
  if (flags.find(({ long }) => long === "--format")?.argChoices?.includes(name)) {
    return [`--format=${name}`];
  }
  const names = flags.flatMap(({ long }) => (long === undefined ? [] : withoutDashes(long)));
  // The corrected command line repeats the value of the flag, which may be secret, so only near-certain matches are suggested.
  return closest(name, names, 3, 1 / 3).map((known) => `--${known}`);
}

function flagIn(word: string): string {
  return /^(--?[^=]+)=/s.exec(word)?.[1] ?? word;
}

function withoutDashes(flag: string): string {
  return flag.replace(/^--?/, "");
}
