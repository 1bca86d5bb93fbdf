/** The JSON Schema of an object with exactly these members, in this order. All of them are required. */
export function objectSchema<const Id extends string, const Properties extends Readonly<Record<string, object>>>(
  $id: Id,
  properties: Properties,
) {
  const required = Object.keys(properties) as readonly (keyof Properties & string)[];
  return { $id, type: "object", additionalProperties: false, required, properties } as const;
}
