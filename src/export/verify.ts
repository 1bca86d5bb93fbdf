import { MismatchError } from "../errors.ts";
import { exportedIds } from "./exported-ids.ts";
import { createHashes, findRepeated } from "./id-set.ts";
import { fingerprint, type Manifest } from "./manifest.ts";

/** What a file was found to be. */
export interface Verification {
  rows: number;
  bytes: number;
  sha256: string;
  /** Whether its rows carry the `product_id` by which a repeated row would have been noticed. */
  identified: boolean;
}

/**
 * Checks an exported file against its manifest: size and SHA-256, the number of its rows, that they are as many as the
 * service promised, and that no `product_id` comes twice. For its memory see `findRepeated`.
 *
 * @throws MismatchError saying what differs
 */
export async function verify(path: string, manifest: Manifest): Promise<Verification> {
  const { file } = manifest;
  const { bytes, sha256 } = await fingerprint(path);
  compare(path, "bytes", bytes, file.bytes);
  if (sha256 !== file.sha256) {
    throw new MismatchError(`${path} was altered: its sha256 is ${sha256} where its manifest says ${file.sha256}`);
  }
  const hashes = createHashes();
  let rows = 0;
  let identified = true;
  for await (const id of exportedIds(path, file)) {
    rows += 1;
    if (id === undefined) {
      identified = false;
    } else {
      hashes.add(id);
    }
  }
  compare(path, "rows", rows, manifest.rows);
  compareCounts(path, manifest);
  const repeated = await findRepeated(hashes.all(), () => exportedIds(path, file));
  if (repeated !== undefined) {
    throw new MismatchError(`${path} holds row ${JSON.stringify(repeated)} twice`);
  }
  return { rows, bytes, sha256, identified };
}

/** Compares the counts within the manifest, which the rows of the file already agree with. */
function compareCounts(path: string, { rows, complete, coverage, plan }: Manifest): void {
  const inSlices = plan.slices.reduce((sum, slice) => sum + slice.rows, 0);
  if (inSlices !== rows) {
    throw new MismatchError(`${path} holds ${rows} rows where the slices of its manifest add up to ${inSlices}`);
  }
  if (complete && coverage.matching_rows !== rows) {
    throw new MismatchError(`${path} holds ${rows} rows where the service counted ${coverage.matching_rows}`);
  }
}

function compare(path: string, what: string, found: number, expected: number): void {
  if (found !== expected) {
    throw new MismatchError(`${path} holds ${found} ${what} where its manifest says ${expected}`);
  }
}
