import { visible } from "../contract/values/visible.ts";

/** The content of an input is not what it should be. The message continues a sentence that begins with its name: `is UTF-16 text`. */
export class ContentError extends Error {}

/** What is wrong with a row, and where. */
interface RowErrorFacts {
  /** The line where the row starts, from 1. In Parquet and xlsx files, the number of the row. */
  line: number;
  field?: string;
  /** The value as written in the source, or a description of it. */
  found: string;
  expected: string;
  /** What to do. */
  hint?: string;
}

/** A row or a header cannot be read. */
export class RowError extends ContentError {
  readonly facts: RowErrorFacts;

  constructor(facts: RowErrorFacts) {
    const { line, field, found, expected, hint } = facts;
    const place = field === undefined ? line : `${line}: ${field}`;
    super(`${place}: expected ${expected}, found ${found}${hint === undefined ? "" : `; ${hint}`}`);
    this.facts = facts;
  }
}

/** What is wrong with an input, with its name. Undefined if the error is not about its content. */
export function contentFlaw(name: string, error: unknown): string | undefined {
  if (error instanceof ContentError) {
    return `${name}${error instanceof RowError ? ":" : " "}${error.message}`;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [, kind] = /^(Z|ZSTD)_/.exec(code) ?? [];
  return kind === undefined ? undefined : `${name} is damaged ${kind === "Z" ? "gzip" : "zstd"} data (${code})`;
}

const SHOWN_CHARACTERS = 60;

/** Text of a source that is safe for a terminal: shortened, with invisible characters as escapes. */
export function shown(text: string): string {
  const characters = [...text.slice(0, 4 * SHOWN_CHARACTERS)];
  const short = characters.length > SHOWN_CHARACTERS ? [...characters.slice(0, SHOWN_CHARACTERS), "…"] : characters;
  return visible(short.join(""));
}
