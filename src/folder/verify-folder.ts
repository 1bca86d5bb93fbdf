import { readdir } from "node:fs/promises";
import { join, normalize, relative } from "node:path";
import { FileError, MismatchError, SetChangedError } from "../contract/errors.ts";
import { firstFew, plural } from "../contract/values/phrases.ts";
import { type PartitionFile, partitionManifestOf, readPartitionFiles } from "../export/partition-manifest.ts";
import { withFileError } from "../files/system-error.ts";
import { checkDay, hasContent } from "./check-day.ts";
import { placeOfDay } from "./day-files.ts";
import { isSyncedFolder, readSyncedFolder, syncCommand } from "./folder-state.ts";

/** The first folder of a Hive partition. */
const PARTITION = /^[^/\\]+=/;

/** Names that readers of such folders skip. */
const HIDDEN = /(?:^|[/\\])[._]/;

/** What a folder consists of, and how a part is checked. */
interface Parts {
  noun: "day" | "file";
  /** The files, as paths below the folder. */
  places: readonly string[];
  /**
   * The check of each part, by its name. It returns undefined for a day that a running sync has removed, and throws
   * FileError or SetChangedError for a part that is damaged or missing.
   */
  checks: ReadonlyMap<string, () => Promise<{ rows: number; bytes: number } | undefined>>;
  /** How damaged parts are mended. */
  remedy: string;
}

/**
 * Compares each file of a synced or partitioned folder with the size and SHA-256 that it was written with. Changes nothing.
 *
 * @param onPart called after each part with the number of parts checked so far, and of all
 * @throws MismatchError naming the damaged parts; the reason of `signal` when it is aborted
 */
export async function verifyFolder(
  folder: string,
  onPart: (noun: string, checked: number, all: number) => void,
  signal: AbortSignal,
): Promise<{ noun: string; count: number; rows: number; bytes: number; others: readonly string[] }> {
  const { noun, places, checks, remedy } = (await isSyncedFolder(folder))
    ? await daysOf(folder)
    : await filesOf(folder);
  const damaged: string[] = [];
  const found = { noun, count: 0, rows: 0, bytes: 0 };
  let checked = 0;
  for (const [name, check] of checks) {
    signal.throwIfAborted();
    try {
      const part = await check();
      found.count += part === undefined ? 0 : 1;
      found.rows += part?.rows ?? 0;
      found.bytes += part?.bytes ?? 0;
    } catch (error) {
      if (!(error instanceof FileError || error instanceof SetChangedError)) {
        throw error;
      }
      damaged.push(name);
    }
    checked += 1;
    onPart(noun, checked, checks.size);
  }
  if (damaged.length > 0) {
    throw new MismatchError(
      `${plural(damaged.length, noun)} of ${checks.size} in ${folder} ${damaged.length === 1 ? "is" : "are"} damaged or missing: ${firstFew(damaged, 10)}; ${remedy}`,
    );
  }
  return { ...found, others: await otherFiles(folder, places) };
}

/** Files in the partitions of a folder other than `places`. Programs that read the folder also read them. */
async function otherFiles(folder: string, places: readonly string[]): Promise<string[]> {
  const names = await withFileError(folder, () => readdir(folder, { recursive: true, withFileTypes: true }));
  const known = new Set(places);
  return names
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((place) => PARTITION.test(place) && !HIDDEN.test(place) && !known.has(place))
    .sort();
}

async function daysOf(folder: string): Promise<Parts> {
  const state = await readSyncedFolder(folder);
  const days = Object.keys(state.days).sort();
  return {
    noun: "day",
    places: days.map(placeOfDay),
    checks: new Map(days.map((day) => [day, () => checkDay(folder, day, state)])),
    remedy: `\`${syncCommand(folder, "--verify")}\` reads them again`,
  };
}

async function filesOf(folder: string): Promise<Parts> {
  const files = await readPartitionFiles(folder);
  if (files === undefined) {
    const manifest = await partitionManifestOf(folder);
    throw new FileError(
      `${folder} cannot be verified: \`catalog sync\` did not write it, and it has no ${manifest}, which \`catalog export --partition-by --manifest\` writes`,
      folder,
    );
  }
  const check = async (path: string, file: PartitionFile) => {
    if (!(await hasContent(path, file))) {
      throw new FileError(`${path} is damaged or missing`, path);
    }
    return file;
  };
  const checks = Object.entries(files).map(([place, file]) => [place, () => check(join(folder, place), file)] as const);
  const places = Object.keys(files).map((place) => normalize(place));
  return { noun: "file", places, checks: new Map(checks), remedy: "export them again" };
}
