import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileError, MismatchError } from "../contract/errors.ts";
import { parseJsonObject } from "../contract/values/json-object.ts";
import type { Fingerprint } from "../files/fingerprint.ts";
import { readOwnFile } from "../files/own-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { withFileError } from "../files/system-error.ts";
import { checkedJson, isUnaltered } from "../files/text-checksum.ts";
import { type ExportRecord, manifestPathOf } from "./manifest.ts";

/** Bumped on incompatible changes. */
const VERSION = 1;

/** Maximum bytes of a manifest: those of a million files. */
const MAX_BYTES = 256 * 1024 ** 2;

/** A file that an export wrote into a partitioned folder. */
export interface PartitionFile extends Fingerprint {
  rows: number;
}

/** Records the files of a partitioned folder. It is beside the folder: some readers take every file in it for rows. */
interface PartitionManifest {
  version: number;
  /** By their places below the folder. */
  files: Record<string, PartitionFile>;
  last_export: ExportRecord;
}

/** Where the manifest of an existing folder is. */
export async function partitionManifestOf(folder: string): Promise<string> {
  return manifestPathOf(await withFileError(folder, () => realpath(folder)));
}

/**
 * The files that exports have written into a partitioned folder.
 *
 * @returns undefined if it has no manifest
 * @throws MismatchError if the manifest was altered
 * @throws FileError if it cannot be read
 */
export async function readPartitionFiles(folder: string): Promise<PartitionManifest["files"] | undefined> {
  const path = await partitionManifestOf(folder);
  const text = await readOwnFile(path, MAX_BYTES);
  if (text === undefined) {
    return undefined;
  }
  const manifest = parseJsonObject(text) as Partial<PartitionManifest> | undefined;
  const { version, files } = manifest ?? {};
  if (manifest === undefined || (version === VERSION && files !== undefined && !isUnaltered(text))) {
    const why = manifest === undefined ? "it is no JSON object" : "its own checksum is wrong";
    throw new MismatchError(`${path} was altered: ${why}; remove it and export the folder again`);
  }
  if (version !== VERSION || files === undefined) {
    throw new FileError(`${path} is not a manifest of a folder that this version of catalog understands`, path);
  }
  return files;
}

/**
 * Writes the manifest of a folder. Files that somebody has removed from the folder leave it.
 *
 * @param known files of the folder, of this and of earlier exports
 * @param assertLocked throws if this process may no longer write the folder
 */
export async function writePartitionManifest(
  folder: string,
  known: Readonly<Record<string, PartitionFile>>,
  last_export: ExportRecord,
  assertLocked: () => Promise<void>,
): Promise<void> {
  const files: Record<string, PartitionFile> = {};
  for (const [place, { rows, bytes, sha256 }] of Object.entries(known)) {
    if ((await stat(join(folder, place)).catch(() => undefined))?.isFile()) {
      files[place] = { rows, bytes, sha256 };
    }
  }
  const manifest: PartitionManifest = { version: VERSION, files, last_export };
  const text = checkedJson(manifest);
  await replaceFile(await partitionManifestOf(folder), text, { beforePlacing: assertLocked });
}
