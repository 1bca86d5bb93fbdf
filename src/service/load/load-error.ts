/** The error of a row and its place. */
export interface RowFault {
  /** Line where the record starts, from 1; the row's number in a Parquet file. */
  line: number;
  field?: string;
  /** The value as written in the source, or a description of what is there instead. */
  found: string;
  expected: string;
}

/** A source that cannot be loaded; none of its rows were. */
export class LoadError extends Error {
  override readonly name = "LoadError";
  readonly source: string;
  /** Absent if the error concerns the source as a whole. */
  readonly fault: RowFault | undefined;

  constructor(source: string, problem: RowFault | string, cause?: unknown) {
    super(`${source}${typeof problem === "string" ? `: ${problem}` : describe(problem)}`, { cause });
    this.source = source;
    this.fault = typeof problem === "string" ? undefined : problem;
  }
}

/** A row that cannot be read; the loader adds the name of the source. */
export class RowError extends Error {
  override readonly name = "RowError";
  readonly fault: RowFault;

  constructor(fault: RowFault) {
    super(describe(fault));
    this.fault = fault;
  }
}

const SHOWN_CHARACTERS = 60;

/** Text of a source as it may be shown on a terminal: shortened, invisible characters written as escapes. */
export function shown(text: string): string {
  const characters = [...text];
  const short = characters.length > SHOWN_CHARACTERS ? [...characters.slice(0, SHOWN_CHARACTERS), "…"] : characters;
  return short.join("").replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

function describe({ line, field, found, expected }: RowFault): string {
  return `:${line}: ${field === undefined ? "" : `${field}: `}expected ${expected}, found ${found}`;
}
