import { hash } from "node:crypto";

/** Most ids compared exactly in one pass. */
const CANDIDATES = 10_000;

/**
 * Finds an id that appears twice.
 *
 * Memory: 8 bytes an id (24 for a moment while the array grows), and at most 10,000 ids in full. Ids that share a hash
 * are compared in full, in another pass over the ids.
 *
 * @param hashes of every id, see `createHashes`; sorted in place
 * @param again yields the same ids once more
 */
export async function findRepeated(
  hashes: BigUint64Array,
  again: () => AsyncIterable<string | undefined>,
): Promise<string | undefined> {
  const shared = repeatedIn(hashes.sort());
  for (let at = 0; at < shared.length; at += CANDIDATES) {
    const candidates = new Set(shared.subarray(at, at + CANDIDATES));
    const seen = new Set<string>();
    for await (const id of again()) {
      if (id !== undefined && candidates.has(idHash(id))) {
        if (seen.has(id)) {
          return id;
        }
        seen.add(id);
      }
    }
  }
  return undefined;
}

/** Collects the hashes of ids. */
export function createHashes(): { add(id: string): void; all(): BigUint64Array } {
  let hashes = new BigUint64Array(1024);
  let count = 0;
  return {
    add: (id) => {
      if (count === hashes.length) {
        const larger = new BigUint64Array(count * 2);
        larger.set(hashes);
        hashes = larger;
      }
      hashes[count] = idHash(id);
      count += 1;
    },
    all: () => hashes.subarray(0, count),
  };
}

function idHash(id: string): bigint {
  return hash("sha256", id, "buffer").readBigUInt64LE();
}

/** Moves each value that appears more than once in sorted values to their front. */
function repeatedIn(sorted: BigUint64Array): BigUint64Array {
  let count = 0;
  for (let at = 1; at < sorted.length; at += 1) {
    const value = sorted[at] as bigint;
    if (value === sorted[at - 1] && (count === 0 || sorted[count - 1] !== value)) {
      sorted[count] = value;
      count += 1;
    }
  }
  return sorted.subarray(0, count);
}
