import { fileURLToPath } from "node:url";

/** The location is neither a file, memory nor a PostgreSQL database. */
export class LocationError extends Error {}

const POSTGRES = /^postgres(ql)?:/i;

export function isPostgres(text: string): boolean {
  return POSTGRES.test(text);
}

/** The location as messages show it: without a password. */
export function shownLocation(text: string): string {
  if (!text.includes("://")) {
    return text;
  }
  if (!URL.canParse(text)) {
    return `${text.split(":", 1)[0]}://…`;
  }
  const url = new URL(text);
  if (url.password === "" && !url.searchParams.has("password")) {
    return text;
  }
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}

/** The path of a database file; undefined for `:memory:` and PostgreSQL. @throws LocationError for other URL schemes */
export function databasePath(text: string): string | undefined {
  if (text === ":memory:" || isPostgres(text)) {
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
  throw new LocationError(
    `a database cannot be opened over "${place}": use a file, a file: URL, :memory: or a postgres: URL`,
  );
}
