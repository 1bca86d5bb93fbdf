import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { type Reporting, startReporting } from "../../cli/reporter.ts";
import { terminalWidth } from "../../cli/terminal/screen.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { firstFew, plural } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import { readManifest } from "../../export/manifest.ts";
import { verify } from "../../export/verify.ts";
import { verifyFolder } from "../../folder/verify-folder.ts";

interface VerifyOptions {
  globals: GlobalOptions;
  /** A file with its manifest beside it, or a synced or partitioned folder. */
  file: string;
}

export function declare(command: Command, context: Context, run: Run<VerifyOptions> = runVerify): void {
  const declared = command
    .description(
      "Checks an exported file against FILE.manifest.json (its size and its sha256), or each file of a synced or partitioned folder against its checksum. Offline; changes nothing.",
    )
    .argument(
      "<file>",
      "a file that `catalog export --manifest` wrote, or a folder of `catalog sync` or `catalog export --partition-by`",
    );
  addGlobalFlags(
    declared,
    ["catalog verify rows.csv.gz", "catalog verify --quiet rows.ndjson && load rows.ndjson", "catalog verify rows"],
    "Exit code: 0 if everything matches, 6 if not, 1 if something cannot be read.",
  ).action((file) => run({ globals: parseGlobals(command), file }, context));
}

async function runVerify({ globals, file }: VerifyOptions, context: Context): Promise<void> {
  using reporting = startReporting(globals, context);
  const outcome = await outcomeOf(file, reporting);
  if (!globals.quiet) {
    await context.print(`${wrap(`${visible(file)}: ${outcome}`, terminalWidth(context.stdout))}\n`);
  }
}

async function outcomeOf(path: string, { reporter: { progress, warn }, signal }: Reporting): Promise<string> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) {
    const onPart = (noun: string, checked: number, all: number) =>
      progress.update({ doing: `checking ${noun} ${checked} of ${all}` });
    const { noun, count, rows, bytes, others } = await verifyFolder(path, onPart, signal);
    progress.clear(`checked ${count} of ${plural(count, noun)}`);
    if (others.length > 0) {
      warn(
        `${firstFew(others.map((name) => join(path, name)))}: not checked. Programs that read the folder also read it`,
      );
    }
    const written = noun === "day" ? "as synced" : "as exported";
    return `${plural(count, noun)}, ${plural(rows, "row")}, ${plural(bytes, "byte")}, ${written}`;
  }
  const { rows, bytes, sha256 } = await verify(path, await readManifest(path), signal);
  return `${plural(rows, "row")}, ${plural(bytes, "byte")}, sha256 ${sha256}`;
}
