import { type Argument, type Command, Help } from "commander";
import { groupBy } from "../contract/values/group-by.ts";

/** Descriptions are not wrapped below this width, where most lines would have a single word. */
const MIN_DESCRIPTION_WIDTH = 24;

/**
 * The layout of help. A command that only has subcommands lists them first, in groups, and the options last. Other commands
 * have the layout of commander.
 *
 * @param firstSteps shown between the commands and the options of the program itself
 */
export function helpLayout(firstSteps: string): Partial<Help> {
  return {
    minWidthToWrap: MIN_DESCRIPTION_WIDTH,
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

/** Items below the headings of their groups. */
function grouped<Item>(
  items: readonly Item[],
  headingOf: (item: Item) => string,
  textOf: (item: Item) => string,
): string[] {
  return [...groupBy(items, headingOf)].map(([heading, own]) => [heading, ...own.map(textOf)].join("\n"));
}

/** Leaves out the `help` that commander adds to each command, because `catalog help COMMAND` does the same. */
function commandsOf(command: Command): Command[] {
  const commands = new Help().visibleCommands(command);
  return command.parent === null ? commands : commands.filter((sub) => sub.name() !== "help");
}

/** The name with its operands. Top-level commands are listed without, because they declare theirs only when they run. */
function termOf(command: Command): string {
  const operands = command.parent?.parent === null ? [] : command.registeredArguments;
  return [command.name(), ...operands.map(operandOf)].join(" ");
}

function operandOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** The full name of a command: `catalog service keys`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
