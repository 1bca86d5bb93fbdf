import { type Argument, type CommandUnknownOpts, Help } from "@commander-js/extra-typings";

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
    formatHelp: (command, help) => {
      const text = Help.prototype.formatHelp.call(help, command, help);
      return isOnlyParent(command) ? optionsLast(text, command.parent === null ? [firstSteps] : []) : text;
    },
  };
}

function isOnlyParent({ commands, registeredArguments }: CommandUnknownOpts): boolean {
  return commands.length > 0 && registeredArguments.length === 0;
}

/** Moves the options below the commands in a help text. @param between sections shown between the commands and the options */
function optionsLast(text: string, between: readonly string[]): string {
  const sections = text.trimEnd().split("\n\n");
  const isOptions = (section: string) => /^(?:Global options|Options):/.test(section);
  const others = sections.filter((section) => !isOptions(section));
  return `${[...others, ...between, ...sections.filter(isOptions)].join("\n\n")}\n`;
}

/** Leaves out the `help` that commander adds to each command, because `catalog help COMMAND` does the same. */
function commandsOf(command: CommandUnknownOpts): CommandUnknownOpts[] {
  const commands = new Help().visibleCommands(command);
  return command.parent === null ? commands : commands.filter((sub) => sub.name() !== "help");
}

/**
 * The name with its operands. Top-level commands are listed without operands, which are declared only when the command is
 * loaded.
 */
function termOf(command: CommandUnknownOpts): string {
  const operands = command.parent?.parent === null ? [] : command.registeredArguments;
  return [command.name(), ...operands.map(operandOf)].join(" ");
}

function operandOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** The full name of a command: `catalog service keys`. */
export function commandPath(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
