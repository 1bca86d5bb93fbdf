import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, readFile, realpath } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import type { CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import { FileError, MismatchError } from "../errors.ts";
import { errorCode, fileError } from "../files/system-error.ts";
import type { FinishedSlice } from "../pull/reckoning.ts";
import type { WrittenFilters } from "../pull/written-filters.ts";

/** Bumped on incompatible changes. */
export const MANIFEST_VERSION = 2;

/** How an output came about and what it must be, for whoever relies on it later. */
export interface Manifest {
  version: number;
  tool: { name: string; version: string; node: string };
  service: string;
  /** The filters as they were written. */
  asked?: WrittenFilters;
  /** What was asked of the service. */
  filters: Filters;
  /** The filters as the service applied them. */
  resolved: ResolvedFilters;
  file: {
    name: string;
    bytes: number;
    sha256: string;
    format: string;
    compression: string | null;
    columns: readonly string[] | null;
  };
  rows: number;
  /** Whether the file holds the whole set; false where `--max-rows` ended it before. */
  complete: boolean;
  /** `meta.coverage` of the request that the pull was planned from. */
  coverage: CoverageSummary;
  plan: { page_size: number; slice_pages: number; slices: readonly Omit<FinishedSlice, "key">[] };
  requests: RequestLog;
  started_at: string;
  finished_at: string;
  /** Whether an earlier, interrupted run wrote a part of the file. */
  resumed: boolean;
}

/** What the requests of a run came to. */
export interface RequestLog {
  sent: number;
  /** Those that were sent again. */
  retries: number;
  waited_ms: number;
  /** `request_id` of each answer. */
  ids: readonly string[];
}

export function manifestPathOf(file: string): string {
  return `${file}.manifest.json`;
}

/**
 * Size and SHA-256 of a file, read in bounded memory.
 *
 * @param opened the file, where it is open: what the path names may be another one by now
 */
export async function fingerprint(path: string, opened?: FileHandle): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const content = opened?.createReadStream({ start: 0, autoClose: false }) ?? createReadStream(path);
    await pipeline(content, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        hash.update(chunk);
      }
    });
  } catch (error) {
    throw fileError(path, error);
  }
  return { bytes, sha256: hash.digest("hex") };
}

/**
 * Reads the manifest of a file.
 *
 * @throws FileError where there is none, or it is not one that this version understands
 * @throws MismatchError where its own checksum does not fit
 */
export async function readManifest(file: string): Promise<Manifest> {
  // It stands beside the file itself, wherever a link to it does.
  const path = manifestPathOf(await realpath(file).catch(() => file));
  let manifest: Partial<Manifest> | null;
  let text: string;
  try {
    text = await readFile(path, "utf8");
    manifest = JSON.parse(text) as Partial<Manifest> | null;
  } catch (error) {
    const isMissing = errorCode(error) === "ENOENT";
    const what = isMissing
      ? `${file} has no manifest beside it; \`catalog export --manifest\` writes one`
      : `${path} cannot be read: ${(error as Error).message}`;
    throw new FileError(what, path, error);
  }
  if (manifest?.version !== MANIFEST_VERSION || !isWhole(manifest)) {
    throw new FileError(`${path} is not a manifest that this version of catalog understands`, path);
  }
  const at = text.lastIndexOf(CHECKSUM);
  if (text !== withChecksum(text.slice(0, Math.max(at, 0)))) {
    throw new MismatchError(`${path} was altered: its own checksum does not fit`);
  }
  return manifest;
}

/** Whether it has what a file is checked against. */
function isWhole(manifest: Partial<Manifest>): manifest is Manifest {
  const { file, rows, coverage, plan } = manifest;
  return (
    typeof file?.sha256 === "string" &&
    typeof file.bytes === "number" &&
    typeof file.format === "string" &&
    typeof rows === "number" &&
    typeof coverage?.matching_rows === "number" &&
    Array.isArray(plan?.slices)
  );
}

const CHECKSUM = ',\n  "checksum": "';

/** The last member of a manifest is the SHA-256 of the text before it. */
function withChecksum(text: string): string {
  return `${text}${CHECKSUM}${createHash("sha256").update(text).digest("hex")}"\n}\n`;
}

export function manifestText(manifest: Manifest): string {
  const named = { ...manifest, file: { ...manifest.file, name: basename(manifest.file.name) } };
  return withChecksum(JSON.stringify(named, undefined, 2).slice(0, -"\n}".length));
}
