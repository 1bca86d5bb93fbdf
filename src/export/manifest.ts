import { createReadStream } from "node:fs";
import { readFile, realpath, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import type { CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import { FileError, MismatchError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import { parseJsonObject } from "../contract/values/json-object.ts";
import { replaceFile } from "../files/replace-file.ts";
import { errorCode, fileError, withFileError } from "../files/system-error.ts";
import { checkedJson, isUnaltered } from "../files/text-checksum.ts";
import type { FinishedSlice } from "../pull/pull-options.ts";
import type { WrittenFilters } from "../pull/written-filters.ts";
import type { LockedFile } from "./destination/destination.ts";
import type { Spreadsheet } from "./formats/encoder.ts";

/** Bumped on incompatible changes. */
const MANIFEST_VERSION = 2;

/** Records how an output file was made and what it must contain. */
export interface Manifest extends ExportRecord {
  version: number;
  file: {
    name: string;
    bytes: number;
    sha256: string;
    format: string;
    compression: string | null;
    columns: readonly string[] | null;
    /** How CSV was written for a spreadsheet; absent if it was not. */
    spreadsheet?: Spreadsheet | undefined;
  };
}

export interface ExportRecord {
  tool: { name: string; version: string; node: string };
  service: string;
  /** The filters as they were written. */
  asked: WrittenFilters;
  /** The filters sent to the service. */
  filters: Filters;
  /** The filters as the service applied them. */
  resolved: ResolvedFilters;
  rows: number;
  /** Whether the file has the whole set; false if `--max-rows` ended it early. */
  complete: boolean;
  /** `meta.coverage` of the request that the pull was planned from. */
  coverage: CoverageSummary;
  plan: { page_size: number; slice_pages: number; slices: readonly FinishedSlice[] };
  /** Number of pages that were read a second time. */
  compared_pages: number;
  /** What the checks of the pull cannot show. */
  unnoticed: string;
  requests: RequestLog;
  started_at: string;
  finished_at: string;
  /** Whether an earlier, interrupted run wrote part of the file. */
  resumed: boolean;
}

/** Request statistics of a run. */
export interface RequestLog {
  sent: number;
  /** Requests that were sent again. */
  retries: number;
  waited_ms: number;
  /** `request_id` of each response. */
  ids: readonly string[];
}

export function manifestPathOf(file: string): string {
  return `${file}.manifest.json`;
}

/** Where the manifest of a file is: next to the file itself, not next to a link to it. */
async function manifestBeside(file: string): Promise<string> {
  return manifestPathOf(await realpath(file).catch(() => file));
}

/** How every manifest begins, also one of another version and one that was altered. */
const BEGINNING = '{\n  "version": ';

/** Whether an export to this path has written a manifest. Other files of that name are none. */
export async function hasManifest(file: string | undefined): Promise<boolean> {
  const path = file === undefined ? undefined : await manifestBeside(file);
  if (path === undefined || (await stat(path).catch(() => undefined))?.isFile() !== true) {
    return false;
  }
  return (await text(createReadStream(path, { end: BEGINNING.length - 1 })).catch(() => "")) === BEGINNING;
}

/**
 * Reads the manifest of a file.
 *
 * @throws FileError if there is none, this version does not understand it, or one of the two is a pipe or a device
 * @throws MismatchError if it was altered
 */
export async function readManifest(file: string): Promise<Manifest> {
  const path = await manifestBeside(file);
  for (const name of [file, path]) {
    const entry = await stat(name).catch(() => undefined);
    if (entry?.isFile() === false && !entry.isDirectory()) {
      // Reading a pipe would wait in a thread that no signal ends.
      throw new FileError(`${name} is no regular file, so it cannot be verified`, name);
    }
  }
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const isMissing = errorCode(error) === "ENOENT";
    // A mistyped name needs a different message than a missing manifest.
    await withFileError(file, () => stat(file));
    const what = isMissing
      ? `${file} has no manifest; \`catalog export --manifest\` writes one`
      : fileError(path, error).message;
    throw new FileError(what, path, error);
  }
  const manifest = parseJsonObject(text) as Partial<Manifest> | undefined;
  if (manifest === undefined) {
    throw new MismatchError(`${path} was altered: it is no JSON object`);
  }
  if (manifest.version !== MANIFEST_VERSION || !isWhole(manifest)) {
    throw new FileError(`${path} is not a manifest that this version of catalog understands`, path);
  }
  if (!isUnaltered(text)) {
    throw new MismatchError(`${path} was altered: its own checksum is wrong`);
  }
  return manifest;
}

/** Removes the manifest of what a file had before: it would call the new content damaged. */
export async function removeManifest(file: string): Promise<void> {
  if (await hasManifest(file)) {
    const path = manifestPathOf(file);
    // Of a link, not the file to which it leads.
    await withFileError(path, () => rm(path, { force: true }));
  }
}

/** Whether it has all members that a file is checked against. */
function isWhole(manifest: Partial<Manifest>): manifest is Manifest {
  const { file, rows, coverage, plan } = manifest;
  return (
    typeof file?.sha256 === "string" &&
    typeof file.bytes === "number" &&
    typeof rows === "number" &&
    typeof coverage?.matching_rows === "number" &&
    Array.isArray(plan?.slices) &&
    plan.slices.every((slice: Partial<FinishedSlice> | null) => typeof slice?.rows === "number")
  );
}

/** Writes the manifest of a file that is in its place. */
export async function writeManifest(
  { path, lock }: LockedFile,
  content: Omit<Manifest["file"], "name">,
  record: ExportRecord,
): Promise<void> {
  const manifest: Manifest = { version: MANIFEST_VERSION, ...record, file: { name: basename(path), ...content } };
  await lock.assertLocked();
  await replaceFile(manifestPathOf(path), checkedJson(manifest), { beforePlacing: lock.assertLocked });
}
