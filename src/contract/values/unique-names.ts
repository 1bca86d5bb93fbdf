/** The names, with numbers appended to repeated ones. @param keyOf names with equal keys count as repeated */
export function uniqueNames(names: readonly string[], keyOf = (name: string) => name): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 1; used.has(keyOf(unique)); number += 1) {
      unique = `${name}_${number}`;
    }
    used.add(keyOf(unique));
    return unique;
  });
}
