/**
 * The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string
 * alignment distance).
 *
 * @param maximum limits the work to 2 × `maximum` + 1 letters a row
 * @returns infinity for a distance above `maximum`
 */
export function editDistance(a: string, b: string, maximum = Math.max(a.length, b.length)): number {
  if (Math.abs(a.length - b.length) > maximum) {
    return Number.POSITIVE_INFINITY;
  }
  // Row i has the distances of the first i letters of `a` to each prefix of `b`. Distances outside the band are infinite.
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = new Array<number>(b.length + 1).fill(Number.POSITIVE_INFINITY);
    let nearest = Number.POSITIVE_INFINITY;
    for (let j = Math.max(0, i - maximum); j <= Math.min(b.length, i + maximum); j += 1) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const distance = Math.min(
        distanceAt(last, j) + 1,
        distanceAt(next, j - 1) + 1,
        distanceAt(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? distanceAt(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      next[j] = distance;
      nearest = Math.min(nearest, distance);
    }
    if (nearest > maximum) {
      return Number.POSITIVE_INFINITY;
    }
    [beforeLast, last] = [last, next];
  }
  const distance = distanceAt(last, b.length);
  return distance <= maximum ? distance : Number.POSITIVE_INFINITY;
}

function distanceAt(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
