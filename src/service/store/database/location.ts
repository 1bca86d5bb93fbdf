import { fileURLToPath } from "node:url";

/** The location is neither a file, memory nor a PostgreSQL database. */
export class LocationError extends Error {}

const POSTGRES = /^postgres(ql)?:/i;

/** Parameters of a PostgreSQL URL that are secret. */
const SECRETS = ["password", "sslpassword"];

export function isPostgres(text: string): boolean {
  return POSTGRES.test(text);
}

/** The location, or another address, as messages show it: without a password. */
export function shownLocation(text: string): string {
  if (!text.includes("://")) {
    // Without slashes, nothing tells what of it is a password.
    return isPostgres(text) ? `${text.split(":", 1)[0]}:…` : text;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "file:" && /@/.test(url.pathname + url.search + url.hash))) {
    // What a URL takes for its path may be the end of a password that has a slash.
    return `${text.split(":", 1)[0]}://…`;
  }
  if (url.password === "" && !SECRETS.some((name) => url.searchParams.has(name))) {
    return text;
  }
  url.password = "";
  for (const name of SECRETS) {
    url.searchParams.delete(name);
  }
  return url.href;
}

/** The path of a database file; undefined for `:memory:` and PostgreSQL. @throws LocationError for anything else */
export function databasePath(text: string): string | undefined {
  if (text === ":memory:" || isPostgres(text)) {
    return undefined;
  }
  // One letter before the colon is a Windows drive, not a scheme.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return text;
  }
  if (scheme === "file" && (/^file:\/\/\//i.test(text) || !/^file:\/\//i.test(text))) {
    const path = pathOfUrl(text);
    if (path === undefined || path === "") {
      throw new LocationError(`"${text}" names no database file: write % as %25, and / only between folders`);
    }
    return path;
  }
  const place = scheme === "file" ? text : scheme;
  throw new LocationError(
    `a database cannot be opened over "${place}": use a file, a file: URL, :memory: or a postgres: URL`,
  );
}

/** The path of a `file:` URL, which may be relative. Undefined if its escapes are wrong. */
function pathOfUrl(text: string): string | undefined {
  try {
    return /^file:\/\//i.test(text) ? fileURLToPath(text) : decodeURIComponent(text.slice("file:".length));
  } catch {
    return undefined;
  }
}
