/** Says which columns of a table the terminal had no room for; nothing where it shows all. */
export function notShown(hidden: readonly string[], remedy: string): string[] {
  return hidden.length === 0 ? [] : [`not shown: ${hidden.join(", ")} (${remedy})`];
}
