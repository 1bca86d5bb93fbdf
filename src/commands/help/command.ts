import type { Command, CommandUnknownOpts, Help } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { TOPICS, type Topic } from "./topics.ts";

export function declare(command: Command, context: Context): void {
  const names = Object.keys(TOPICS);
  command
    .description(`Shows the help of a command, or of a topic: ${names.join(", ")}.`)
    .argument("[topic]", "a command or a topic (default: list all commands)")
    .argument("[subcommand...]", "a subcommand of that command")
    .helpOption("-h, --help", "show help")
    .addHelpText(
      "after",
      "\nExamples:\n  $ catalog help export\n  $ catalog help service keys\n  $ catalog help exit-codes",
    )
    .action(async (topic, subcommands) => {
      const program = command.parent ?? command;
      const known = topic !== undefined && Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
      if (known !== undefined) {
        await context.print(renderTopic(known, program.createHelp(), context.stdout.columns || 80));
      } else {
        find(program, topic === undefined ? [] : [topic, ...subcommands]).outputHelp();
      }
    });
}

function find(program: CommandUnknownOpts, path: readonly string[]): CommandUnknownOpts {
  return path.reduce<CommandUnknownOpts>((command, name) => {
    const commands = command.createHelp().visibleCommands(command);
    const found = commands.find((known) => known.name() === name);
    if (found === undefined) {
      const topics = command === program ? Object.keys(TOPICS) : [];
      throw new UsageError(`there is no help for ${quoted(name)}; see \`catalog help\`.`, {
        suggestions: closest(name, [...commands.map((known) => known.name()), ...topics]),
        value: name,
      });
    }
    return found;
  }, program);
}

function renderTopic({ intro, entries }: Topic, help: Help, width: number): string {
  help.prepareContext({ helpWidth: width });
  const termWidth = Math.max(...entries.map(([term]) => term.length));
  const items = entries.map(([term, text]) => help.formatItem(term, termWidth, text, help));
  return `${help.boxWrap(intro, width)}\n\n${items.join("\n")}\n`;
}
