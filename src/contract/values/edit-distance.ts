/**
 * Number of letters to insert, delete, replace or swap with a neighbour to turn `a` into `b`
 * (optimal string alignment: no part is edited twice).
 *
 * @param most upper bound of the distance, which limits the work to 2 × `most` + 1 letters per row
 * @returns infinity for a distance above `most`
 */
export function editDistance(a: string, b: string, most = Math.max(a.length, b.length)): number {
  if (Math.abs(a.length - b.length) > most) {
    return Number.POSITIVE_INFINITY;
  }
  // Row i has the distances of a's first i letters to each start of b. Distances outside the band are infinite.
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = new Array<number>(b.length + 1).fill(Number.POSITIVE_INFINITY);
    let nearest = Number.POSITIVE_INFINITY;
    for (let j = Math.max(0, i - most); j <= Math.min(b.length, i + most); j += 1) {
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
    if (nearest > most) {
      return Number.POSITIVE_INFINITY;
    }
    [beforeLast, last] = [last, next];
  }
  const distance = distanceAt(last, b.length);
  return distance <= most ? distance : Number.POSITIVE_INFINITY;
}

function distanceAt(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
