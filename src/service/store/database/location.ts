import { fileURLToPath } from "node:url";

/** The place of an embedded database: a file of this machine, or memory. */
export type Location = { kind: "memory" } | { kind: "file"; path: string };

/** The location is neither a file nor memory. */
export class LocationError extends Error {
  override readonly name = "LocationError";

  constructor(scheme: string) {
    super(`a database cannot be opened over "${scheme}": use a file, a file: URL or :memory:`);
  }
}

/**
 * Reads a file path, a `file:` URL or `:memory:`.
 *
 * @throws LocationError for other URL schemes
 */
export function parseLocation(text: string): Location {
  if (text === ":memory:") {
    return { kind: "memory" };
  }
  // One letter before the colon is a Windows drive, not a scheme.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return { kind: "file", path: text };
  }
  if (scheme === "file" && text.toLowerCase().startsWith("file:///")) {
    return { kind: "file", path: fileURLToPath(text) };
  }
  if (scheme === "file" && !text.startsWith("//", scheme.length + 1)) {
    return { kind: "file", path: decodeURIComponent(text.slice(scheme.length + 1)) };
  }
  throw new LocationError(scheme === "file" ? text : scheme);
}
