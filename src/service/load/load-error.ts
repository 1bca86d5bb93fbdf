/** What is wrong with a row, and where. */
interface RowErrorFacts {
  /** Line where the record starts, from 1. In a Parquet file, the number of the row. */
  line: number;
  field?: string;
  /** The value as written in the source, or a description of it. */
  found: string;
  expected: string;
}

/** A source cannot be loaded. None of its rows was added. The message begins with the name of the source. */
export class LoadError extends Error {
  override readonly name: string = "LoadError";
}

/** A source is of a format that is not loaded. */
export class LoadFormatError extends LoadError {
  constructor(name: string, kind: string) {
    super(`${name}: ${kind} cannot be loaded; use NDJSON, CSV or Parquet`);
  }
}

/** A row cannot be read. The loader adds the name of the source. */
export class RowError extends Error {
  override readonly name = "RowError";
  readonly facts: RowErrorFacts;

  constructor(facts: RowErrorFacts) {
    const { line, field, found, expected } = facts;
    super(`${line}: ${field === undefined ? "" : `${field}: `}expected ${expected}, found ${found}`);
    this.facts = facts;
  }
}

const SHOWN_CHARACTERS = 60;

/** Text of a source that is safe for a terminal: shortened, with invisible characters as escapes. */
export function shown(text: string): string {
  const characters = [...text];
  const short = characters.length > SHOWN_CHARACTERS ? [...characters.slice(0, SHOWN_CHARACTERS), "…"] : characters;
  return short.join("").replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
  });
}
