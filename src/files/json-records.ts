import { CARRIAGE_RETURN, LINE_FEED } from "../rows/json-bytes.ts";
import { ContentError, RowError, shown } from "./content-error.ts";
import { MAX_RECORD_BYTES, readLines } from "./utf8-lines.ts";

/** JSON text of one object, and the line of the file where it begins. */
export interface JsonRecord {
  line: number;
  text: string;
}

type Chunks = AsyncIterable<Uint8Array>;

/** Reads one JSON text per line and skips blank lines. */
export async function* readNdjson(chunks: Chunks): AsyncGenerator<JsonRecord[]> {
  for await (const { bytes, line: firstLine } of readLines(chunks)) {
    const rows: JsonRecord[] = [];
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const newline = bytes.indexOf(LINE_FEED, start);
      const end = newline === -1 ? bytes.length : newline;
      // Each line is decoded alone, because one character outside Latin-1 doubles the memory and time of its string.
      const text = bytes.toString("utf8", start, bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
      if (text.trim() !== "") {
        rows.push({ line, text });
      }
      start = end + 1;
    }
    yield rows;
  }
}

/** Follows JSON text character by character. */
class Nesting {
  /** How many objects and arrays are open. */
  depth = 0;
  #isString = false;
  #isEscaped = false;

  step(character: string): void {
    if (this.#isString) {
      this.#isString = this.#isEscaped || character !== '"';
      this.#isEscaped = !this.#isEscaped && character === "\\";
    } else if (character === '"') {
      this.#isString = true;
    } else if (character === "{" || character === "[") {
      this.depth += 1;
    } else if (character === "}" || character === "]") {
      this.depth -= 1;
    }
  }
}

/** What may follow each character between the rows of an array. */
const FOLLOWING: Readonly<Record<string, string>> = { "[": "{]", ",": "{", "]": "" };

/** Reads the objects of one JSON array, wherever its lines end. Memory: one chunk and one object. */
export async function* readJsonArray(chunks: Chunks): AsyncGenerator<JsonRecord[]> {
  const array = new RowArray();
  for await (const text of utf8Texts(chunks)) {
    yield* array.read(text);
  }
  array.end();
}

/** The rows of a JSON array, whose text arrives in parts. */
class RowArray {
  readonly #nesting = new Nesting();
  /** The beginning of an object that is not complete. */
  #rest = "";
  #line = 1;
  /** Where that object begins. */
  #start = 1;
  /** What may come next between objects. */
  #allowed = "[";

  /** @throws RowError, after the rows before it */
  *read(part: string): Generator<JsonRecord[]> {
    const text = this.#rest + part;
    const rows: JsonRecord[] = [];
    let from = 0;
    for (let at = this.#rest.length; at < text.length; at += 1) {
      const character = text.charAt(at);
      const { depth } = this.#nesting;
      this.#nesting.step(character);
      if (depth === 2 && this.#nesting.depth === 1) {
        rows.push({ line: this.#start, text: text.slice(from, at + 1) });
        this.#allowed = ",]";
      } else if (depth < 2 && character.trim() !== "") {
        if (!this.#allowed.includes(character)) {
          yield rows;
          throw this.#error(shown(text.slice(at, at + 20)), this.#allowed);
        }
        from = at;
        this.#start = this.#line;
        this.#allowed = FOLLOWING[character] ?? this.#allowed;
      }
      this.#line += character === "\n" ? 1 : 0;
    }
    yield rows;
    this.#rest = this.#nesting.depth > 1 ? text.slice(from) : "";
    if (this.#rest.length > MAX_RECORD_BYTES) {
      const expected = `an object of at most ${MAX_RECORD_BYTES} characters`;
      throw new RowError({ line: this.#start, found: "a longer one", expected });
    }
  }

  /** @throws RowError if the array is not complete */
  end(): void {
    if (this.#allowed !== "") {
      throw this.#error("the end of the file", this.#nesting.depth > 1 ? "}" : this.#allowed);
    }
  }

  #error(found: string, allowed: string): RowError {
    return new RowError({ line: this.#line, found, expected: [...allowed].join(" or ") || "the end of the file" });
  }
}

/** @throws ContentError if the bytes are not UTF-8 */
async function* utf8Texts(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of chunks) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new ContentError("is not UTF-8 text") : error;
  }
}
