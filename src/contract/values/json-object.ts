/** The members of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that the text is in JSON; undefined if it is something else. A byte order mark before it is ignored. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
