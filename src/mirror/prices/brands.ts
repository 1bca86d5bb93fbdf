import { closest } from "../../contract/values/closest.ts";
import { InputError } from "../../errors.ts";

/**
 * The brands that are one of the wanted ones, in any letter case.
 *
 * @param known the brands of the folder
 * @param name what messages call the folder
 * @throws InputError with the closest brands if one of them is not known
 */
export function brandsNamed(wanted: readonly string[], known: readonly string[], name: string): string[] {
  const byKey = new Map<string, string[]>();
  for (const brand of known) {
    const key = folded(brand);
    byKey.set(key, [...(byKey.get(key) ?? []), brand]);
  }
  const missing = wanted.find((brand) => !byKey.has(folded(brand)));
  if (missing !== undefined) {
    throw new InputError(`${name} has no product of the brand ${JSON.stringify(missing)}.`, {
      ...{ input: "brand", value: missing },
      suggestions: closest(
        missing,
        [...byKey.values()].map((spellings) => spellings.at(-1) ?? ""),
      ),
    });
  }
  return wanted.flatMap((brand) => byKey.get(folded(brand)) ?? []);
}

function folded(text: string): string {
  return text.trim().normalize("NFKC").toLowerCase();
}
