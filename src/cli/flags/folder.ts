import { type Command, Option } from "commander";
import { UsageError } from "../../errors.ts";

/** Flags that have no effect on a folder. */
const SERVICE_FLAGS = ["--demo", "--base-url", "--profile", "--concurrency", "--max-rate"];

/**
 * The synced folder that a command reads instead of the service.
 *
 * @throws UsageError if the folder has no name, or a flag that only matters for a service is given
 */
export function parseFolder(command: Command, flag: string, folder: string | undefined): string | undefined {
  if (folder === undefined) {
    return undefined;
  }
  if (folder === "") {
    throw new UsageError(`${flag} is empty; name a folder of \`catalog sync\`.`, { flag });
  }
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(new Option(name).attributeName()) === "cli";
  const other = SERVICE_FLAGS.find(isGiven);
  if (other !== undefined) {
    throw new UsageError(`${other} cannot be combined with ${flag}: the folder is read, and no request is sent.`, {
      flag: other,
    });
  }
  return folder;
}
