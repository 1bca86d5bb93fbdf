/** Names the columns that did not fit into the terminal; empty if all did. */
export function notShown(hidden: readonly string[], remedy: string): string[] {
  return hidden.length === 0 ? [] : [`not shown: ${hidden.join(", ")} (${remedy})`];
}
