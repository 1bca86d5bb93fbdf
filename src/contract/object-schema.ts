/** The subset of JSON Schema that the contract uses. A schema with an `$id` becomes a component of that name. */
export interface Schema {
  $id?: string;
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  items?: Schema;
  maxItems?: number;
  maxProperties?: number;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
}

/** The JSON Schema of an object with exactly these members, in this order. All of them are required. */
export function objectSchema<const Id extends string, const Properties extends Readonly<Record<string, object>>>(
  $id: Id,
  properties: Properties,
) {
  const required = Object.keys(properties) as readonly (keyof Properties & string)[];
  return { $id, type: "object", additionalProperties: false, required, properties } as const;
}
