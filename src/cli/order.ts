export interface SortKey {
  column: string;
  descending: boolean;
}

/**
 * Sorts stably by one column: numbers numerically, texts by code point, null last in both directions. Without a key, the items
 * keep their order.
 */
export function sortBy<Item>(
  items: readonly Item[],
  key: SortKey | undefined,
  read: (item: Item, column: string) => unknown,
): readonly Item[] {
  if (key === undefined) {
    return items;
  }
  const sign = key.descending ? -1 : 1;
  return items
    .map((item) => ({ item, value: read(item, key.column) ?? null }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) {
        return Number(a.value === null) - Number(b.value === null);
      }
      return sign * compareValues(a.value, b.value);
    })
    .map(({ item }) => item);
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") {
    return a - b;
  }
  return compareTexts(String(a), String(b));
}

/** Compares texts by code point, as UTF-8 sorts them. `<` compares UTF-16 code units, which puts U+1F600 before U+FF5E. */
function compareTexts(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a < b ? -1 : Number(a > b);
}

const SURROGATE = /[\ud800-\udfff]/;
