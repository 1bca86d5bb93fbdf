import { type Argument, type Command, Help } from "commander";
import { groupBy } from "../contract/values/group-by.ts";

/** Smallest width in which a description is wrapped; below it, each line would hold a single word. */
const NARROWEST_DESCRIPTION = 24;

/**
 * The layout of help. For a command with subcommands, these come first, in groups, and the options last. Any other
 * command has commander's own layout.
 *
 * @param firstSteps text between the commands and the options of the program itself
 */
export function helpLayout(firstSteps: string): Partial<Help> {
  return {
    minWidthToWrap: NARROWEST_DESCRIPTION,
    commandUsage: (command) =>
      command.commands.length > 0
        ? `${commandPath(command)} <command> [options]`
        : `${commandPath(command)} ${command.usage()}`,
    subcommandTerm: termOf,
    formatHelp: (command, help) =>
      command.commands.length > 0
        ? commandsFirst(command, help, command.parent === null ? firstSteps : "")
        : Help.prototype.formatHelp.call(help, command, help),
  };
}

function commandsFirst(command: Command, help: Help, firstSteps: string): string {
  const commands = help.visibleCommands(command).filter((sub) => sub.name() !== "help" || command.parent === null);
  const options = help.visibleOptions(command);
  const terms = [
    ...commands.map((sub) => help.subcommandTerm(sub)),
    ...options.map((option) => help.optionTerm(option)),
  ];
  const width = Math.max(...terms.map((term) => term.length));
  const item = (term: string, description: string) => help.formatItem(term, width, description, help);
  const sections = [
    `Usage: ${help.commandUsage(command)}`,
    help.boxWrap(help.commandDescription(command), help.helpWidth ?? 80),
    ...grouped(
      commands.map((sub) => [
        sub.helpGroup() || "Commands:",
        item(help.subcommandTerm(sub), help.subcommandDescription(sub)),
      ]),
    ),
    ...(firstSteps === "" ? [] : [firstSteps]),
    ...grouped(
      options.map((option) => [
        option.helpGroupHeading ?? "Options:",
        item(help.optionTerm(option), help.optionDescription(option)),
      ]),
    ),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Items below their group headings; groups are in order of first appearance. */
function grouped(items: readonly (readonly [group: string, text: string])[]): string[] {
  const groups = groupBy(items, ([group]) => group);
  return [...groups].map(([group, own]) => [group, ...own.map(([, text]) => text)].join("\n"));
}

/** The name, with its operands if they are declared; top-level commands declare theirs only when they run. */
function termOf(command: Command): string {
  const operands = command.parent?.parent === null ? [] : command.registeredArguments;
  return [command.name(), ...operands.map(operandOf)].join(" ");
}

function operandOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** The full name: `catalog service keys`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
