import { Argument, type Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { SCRIPTS } from "./scripts.ts";

interface CompletionOptions {
  shell: keyof typeof SCRIPTS;
}

const printScript: Run<CompletionOptions> = ({ shell }, { print }) => print(SCRIPTS[shell]);

export function declare(command: Command, context: Context, run = printScript): void {
  const declared = command
    .description(
      "Prints a completion script for a shell: for commands, flags, formats, columns, and the slugs that the service last reported.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]));
  addGlobalFlags(
    declared,
    [
      "source <(catalog completion bash)",
      `catalog completion zsh > "\${fpath[1]}/_catalog"`,
      "catalog completion fish > ~/.config/fish/completions/catalog.fish",
    ],
    `The slugs come from coverage responses. They are stored in ${context.folders.cache ?? "a cache folder, if there is a home folder"}.`,
  ).action((shell) => run({ shell }, context));
}
