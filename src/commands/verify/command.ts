import type { Command } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { withReporter } from "../../cli/reporter.ts";
import { terminalWidth } from "../../cli/terminal/screen.ts";
import { visible } from "../../cli/terminal/visible.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import { readManifest } from "../../export/manifest.ts";
import { verify } from "../../export/verify.ts";

interface VerifyOptions {
  globals: GlobalOptions;
  /** A path; the manifest is beside it. */
  file: string;
}

export function declare(command: Command, context: Context, run: Run<VerifyOptions> = runVerify): void {
  command
    .description(
      "Checks an exported file against FILE.manifest.json, offline: its size, its sha256, the number of its rows, and that no row occurs twice, as far as its columns show it.",
    )
    .argument("<file>", "a file that `catalog export --manifest` wrote");
  addGlobalFlags(
    command,
    ["catalog verify rows.csv.gz", "catalog verify --quiet rows.ndjson && load rows.ndjson"],
    "Exit code: 0 if the file matches its manifest, 6 if it does not, 1 if one of the two cannot be read.",
  ).action((file: string) => run({ globals: parseGlobals(command), file }, context));
}

async function runVerify({ globals, file }: VerifyOptions, context: Context): Promise<void> {
  const { rows, bytes, sha256, identified } = await withReporter(globals, context, async (_, signal) =>
    verify(file, await readManifest(file), signal),
  );
  if (!globals.quiet) {
    const once = identified ? ", each once" : "";
    const found = `${visible(file)}: ${groupDigits(rows)} rows${once}, ${groupDigits(bytes)} bytes, sha256 ${sha256}`;
    await context.print(`${wrap(found, terminalWidth(context.stdout))}\n`);
  }
}
