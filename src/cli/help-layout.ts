import { type Argument, type Command, Help } from "commander";
import { groupBy } from "../contract/values/group-by.ts";

/** Smallest width in which a description is wrapped; below it, each line would hold a single word. */
const NARROWEST_DESCRIPTION = 24;

/**
 * The layout of help. For a command that only has subcommands, these come first, in groups, and the options last. Any
 * other command has commander's own layout.
 *
 * @param firstSteps text between the commands and the options of the program itself
 */
export function helpLayout(firstSteps: string): Partial<Help> {
  return {
    minWidthToWrap: NARROWEST_DESCRIPTION,
    commandUsage: (command) =>
      isOnlyParent(command)
        ? `${commandPath(command)} <command> [options]`
        : `${commandPath(command)} ${command.usage()}`,
    subcommandTerm: termOf,
    visibleCommands: commandsOf,
    formatHelp: (command, help) =>
      isOnlyParent(command)
        ? commandsFirst(command, help, command.parent === null ? firstSteps : "")
        : Help.prototype.formatHelp.call(help, command, help),
  };
}

function isOnlyParent({ commands, registeredArguments }: Command): boolean {
  return commands.length > 0 && registeredArguments.length === 0;
}

function commandsFirst(command: Command, help: Help, firstSteps: string): string {
  const width = help.padWidth(command, help);
  const item = (term: string, description: string) => help.formatItem(term, width, description, help);
  const commands = grouped(
    help.visibleCommands(command),
    (sub) => sub.helpGroup() || "Commands:",
    (sub) => item(help.subcommandTerm(sub), help.subcommandDescription(sub)),
  );
  const options = grouped(
    help.visibleOptions(command),
    (option) => option.helpGroupHeading ?? "Options:",
    (option) => item(help.optionTerm(option), help.optionDescription(option)),
  );
  const sections = [
    `Usage: ${help.commandUsage(command)}`,
    help.boxWrap(help.commandDescription(command), help.helpWidth ?? 80),
    ...commands,
    ...(firstSteps === "" ? [] : [firstSteps]),
    ...options,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Items below their group headings; groups are in order of first appearance. */
function grouped<Item>(
  items: readonly Item[],
  headingOf: (item: Item) => string,
  textOf: (item: Item) => string,
): string[] {
  return [...groupBy(items, headingOf)].map(([heading, own]) => [heading, ...own.map(textOf)].join("\n"));
}

/** Without the `help` that commander adds below a command: `catalog help` shows the help of all. */
function commandsOf(command: Command): Command[] {
  const commands = new Help().visibleCommands(command);
  return command.parent === null ? commands : commands.filter((sub) => sub.name() !== "help");
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
