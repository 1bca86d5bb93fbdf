import { MismatchError } from "../contract/errors.ts";
import { groupDigits, plural } from "../contract/values/phrases.ts";
import { type Fingerprint, fingerprint } from "../files/fingerprint.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Compares the size and SHA-256 of an exported file with its manifest, and the counts of the manifest with each other: rows
 * written, rows of the slices, and the count of the service.
 *
 * @throws MismatchError saying what differs; the reason of `signal` when it is aborted
 */
export async function verify(
  path: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<{ rows: number } & Fingerprint> {
  const { file, rows, plan, complete, coverage } = manifest;
  const { bytes, sha256 } = await fingerprint(path, { signal });
  if (bytes !== file.bytes) {
    throw new MismatchError(
      `${path} has ${plural(bytes, "byte")}, but its manifest says ${plural(file.bytes, "byte")}`,
    );
  }
  if (sha256 !== file.sha256) {
    throw new MismatchError(`${path} was altered: its sha256 is ${sha256}, but its manifest says ${file.sha256}`);
  }
  const inSlices = plan.slices.reduce((sum, slice) => sum + slice.rows, 0);
  if (inSlices !== rows) {
    throw new MismatchError(
      `the manifest of ${path} says ${plural(rows, "row")}, but its slices have ${groupDigits(inSlices)}`,
    );
  }
  if (complete && coverage.matching_rows !== rows) {
    throw new MismatchError(
      `the manifest of ${path} says ${plural(rows, "row")}, but the service counted ${groupDigits(coverage.matching_rows)}`,
    );
  }
  return { rows, bytes, sha256 };
}
