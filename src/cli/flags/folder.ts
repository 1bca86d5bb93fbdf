import { UsageError } from "../../errors.ts";
import { quoted } from "./values.ts";

/**
 * The synced folder that a command reads instead of the service.
 *
 * @param serviceFlags flags that only matter for a service, with their values; they would have no effect
 * @throws UsageError if the folder has no name, or one of these flags is given
 */
export function parseFolder(
  flag: string,
  folder: string | undefined,
  serviceFlags: Readonly<Record<string, unknown>>,
): string | undefined {
  if (folder === undefined) {
    return undefined;
  }
  if (folder === "") {
    throw new UsageError(`${flag} is empty; name a folder of \`catalog sync\`.`, { flag });
  }
  const [other] = Object.keys(serviceFlags).filter((name) => serviceFlags[name] !== undefined);
  if (other !== undefined) {
    throw new UsageError(`${other} cannot be combined with ${flag}: the folder is read, and no service is asked.`, {
      flag: other,
    });
  }
  return folder;
}

/** @throws UsageError if a folder is named although `--demo` has one of its own */
export function refuseFolderOfDemo(folder: string | undefined, demo: boolean | undefined): void {
  if (folder !== undefined && demo) {
    throw new UsageError(`--demo uses generated rows; leave out ${quoted(folder)}.`, { flag: "--demo" });
  }
}
