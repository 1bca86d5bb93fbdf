import { basename, dirname } from "node:path";

/** Hive's name for an empty value. */
const DEFAULT_PARTITION = "__HIVE_DEFAULT_PARTITION__";

/** Escapes the characters that Hive does (`FileUtils.escapePathName`), and `}` and NUL, as `%` and two hex digits. */
export function escapePartitionValue(value: string): string {
  if (value === "") {
    return DEFAULT_PARTITION;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what Hive escapes.
  return value.replace(/[\x00-\x1f\x7f"#%'*/:=?\\{}[\]^]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/**
 * The partition values in a path: `retailer` and `crawl_date` of
 * `rows/retailer=acme/crawl_date=2026-01-01/part-0.csv`. Each `%XX` is a byte of UTF-8, as pandas, pyarrow and DuckDB write
 * it; escapes that are not valid UTF-8 stay as they are.
 */
export function partitionValuesOf(path: string): Map<string, string> {
  const values: [name: string, value: string][] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(basename(folder)) ?? [];
    if (name === undefined || value === undefined) {
      return new Map(values);
    }
    values.unshift([name, value === DEFAULT_PARTITION ? "" : unescaped(value)]);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function unescaped(value: string): string {
  return value.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return utf8.decode(Buffer.from(escapes.replaceAll("%", ""), "hex"));
    } catch {
      return escapes;
    }
  });
}
