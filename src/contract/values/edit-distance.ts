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
  const row = () => new Array<number>(b.length + 1).fill(Number.POSITIVE_INFINITY);
  let [beforeLast, last, next] = [row(), row().map((_, j) => j), row()];
  for (let i = 1; i <= a.length; i += 1) {
    const [from, to] = [Math.max(0, i - most), Math.min(b.length, i + most)];
    // The row is reused, so the cells next to the band may have old distances.
    next.fill(Number.POSITIVE_INFINITY, Math.max(0, from - 1), from);
    next.fill(Number.POSITIVE_INFINITY, to + 1, to + 2);
    let nearest = Number.POSITIVE_INFINITY;
    for (let j = from; j <= to; j += 1) {
      const distance = Math.min(
        at(last, j) + 1,
        at(next, j - 1) + 1,
        at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped(a, b, i, j) ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      next[j] = distance;
      nearest = Math.min(nearest, distance);
    }
    if (nearest > most) {
      return Number.POSITIVE_INFINITY;
    }
    [beforeLast, last, next] = [last, next, beforeLast];
  }
  const distance = at(last, b.length);
  return distance <= most ? distance : Number.POSITIVE_INFINITY;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** Whether the two letters before `i` in `a` and before `j` in `b` are swapped. */
function isSwapped(a: string, b: string, i: number, j: number): boolean {
  return i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
}
