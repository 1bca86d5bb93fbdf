import { Argument, type Command } from "commander";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import type { Context } from "../../context.ts";
import { SCRIPTS } from "./scripts.ts";

export function declare(command: Command, context: Context): void {
  command
    .description(
      "Prints the completion script of a shell: commands, flags, formats, columns, and the slugs that were last seen.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS)));
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Slugs are kept in ${context.folders.cache} by coverage calls and by errors that list them.

Examples:
  $ source <(catalog completion bash)
  $ catalog completion zsh > "\${fpath[1]}/_catalog"
  $ catalog completion fish > ~/.config/fish/completions/catalog.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => context.print(SCRIPTS[shell]));
}
