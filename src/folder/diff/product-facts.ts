const FACTS = ["department", "category", "title", "mrp", "selling_price", "discount_pct", "currency"] as const;

/** What a comparison keeps of a row: the JSON text of each fact. */
export type ProductFacts = Record<(typeof FACTS)[number], string>;

/** The facts of some values. */
export function factsOf(values: Record<(typeof FACTS)[number], string | number>): ProductFacts {
  return Object.fromEntries(FACTS.map((name) => [name, JSON.stringify(values[name])])) as ProductFacts;
}

/** Facts in one string, by which several of a product are in an order of their own. */
export function packFacts(facts: ProductFacts): string {
  return `[${FACTS.map((name) => facts[name]).join(",")}]`;
}
