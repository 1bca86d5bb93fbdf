import { fileURLToPath } from "node:url";

/** The location is neither a file nor memory. */
export class LocationError extends Error {
  override readonly name = "LocationError";
}

/**
 * The path of a database, given as a file path or `file:` URL; undefined for `:memory:`.
 *
 * @throws LocationError for other URL schemes
 */
export function databasePath(text: string): string | undefined {
  if (text === ":memory:") {
    return undefined;
  }
  // One letter before the colon is a Windows drive, not a scheme.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return text;
  }
  if (scheme === "file" && text.toLowerCase().startsWith("file:///")) {
    return fileURLToPath(text);
  }
  if (scheme === "file" && !text.startsWith("//", scheme.length + 1)) {
    return decodeURIComponent(text.slice(scheme.length + 1));
  }
  const place = scheme === "file" ? text : scheme;
  throw new LocationError(`a database cannot be opened over "${place}": use a file, a file: URL or :memory:`);
}
