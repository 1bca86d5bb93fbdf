import type { ColumnChunk, Encoding, SchemaElement } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { type StoredType, statisticsOf } from "./column-statistics.ts";
import {
  bitWidth,
  type Compressor,
  type DataPage,
  encodeNumbers,
  writeDataPage,
  writeDictionaryPage,
} from "./parquet-pages.ts";
import { PlainValues } from "./plain-values.ts";
import { ValueDictionary } from "./value-dictionary.ts";

/** Most values of a dictionary. Half of the rows of a full row group: with more it would not halve the values. */
const MOST_DISTINCT = 5_000;

/** Bytes of values after which a page ends. */
const PAGE_BYTES = 1024 * 1024;

const VALUE_WIDTHS = { BYTE_ARRAY: undefined, INT32: 4, DOUBLE: 8 } as const satisfies Record<
  StoredType,
  number | undefined
>;

export interface ColumnElement extends SchemaElement {
  type: StoredType;
}

/**
 * The values of one column in one row group. They are numbers of a dictionary, or plain if a dictionary would not halve
 * them. What is written depends only on the values and their order.
 *
 * Memory: the plain values, or the dictionary and four bytes a row; the next row group uses it again.
 */
export class ColumnChunkBuilder {
  readonly name: string;
  private readonly element: ColumnElement;
  private readonly isOptional: boolean;
  private readonly dictionary: ValueDictionary;
  private plain: PlainValues;
  private isPlain = false;
  /** Rows so far, nulls included. */
  private rows = 0;
  /** Number of each value that is not null in the dictionary. */
  private numbers = new Uint32Array(64);
  /** Number of values that are not null. */
  private count = 0;
  /** Size of these values if they were plain. */
  private plainBytes = 0;
  /** For each row whether it is not null; unused in a required column. */
  private present = new Uint8Array(64);

  constructor(element: ColumnElement) {
    const width = VALUE_WIDTHS[element.type];
    this.name = element.name;
    this.element = element;
    this.isOptional = element.repetition_type === "OPTIONAL";
    this.dictionary = new ValueDictionary(width);
    this.plain = new PlainValues(width);
  }

  /** Adds the value in `size` bytes of `source`: UTF-8, or a little-endian number. */
  add(source: DataView, from: number, size: number): void {
    this.addRow(1);
    this.count += 1;
    if (this.isPlain) {
      this.plain.add(source, from, size);
      return;
    }
    this.plainBytes += this.plain.prefix + size;
    if (this.count > this.numbers.length) {
      const larger = new Uint32Array(this.numbers.length * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.count - 1] = this.dictionary.numberOf(source, from, size);
    if (this.dictionary.values.count > MOST_DISTINCT) {
      this.becomePlain();
    }
  }

  addNull(): void {
    this.addRow(0);
  }

  private addRow(present: 0 | 1): void {
    if (this.isOptional) {
      if (this.rows === this.present.length) {
        const larger = new Uint8Array(this.present.length * 2);
        larger.set(this.present);
        this.present = larger;
      }
      this.present[this.rows] = present;
    }
    this.rows += 1;
  }

  private becomePlain(): void {
    const { dictionary, numbers, count } = this;
    this.isPlain = true;
    if (dictionary.values.count === count) {
      // No value repeats, so the dictionary has them all in their order.
      this.plain = dictionary.exchangeValues(this.plain);
      return;
    }
    const { view } = dictionary.values;
    for (let at = 0; at < count; at += 1) {
      const number = numbers[at] as number;
      this.plain.add(view, dictionary.startOf(number), dictionary.sizeOf(number));
    }
  }

  /** Writes the chunk and empties the builder; returns its description for the footer. */
  write(out: ByteWriter, compress: Compressor): ColumnChunk {
    const { element, rows } = this;
    if (!this.isPlain && !this.isDictionarySmaller()) {
      this.becomePlain();
    }
    const values = this.isPlain ? this.plain : this.dictionary.values;
    const start = out.offset;
    let uncompressed = 0;
    if (!this.isPlain) {
      uncompressed += writeDictionaryPage(out, compress, values.bytes.subarray(0, values.length), values.count);
    }
    const firstData = out.offset;
    const encoding: Encoding = this.isPlain ? "PLAIN" : "RLE_DICTIONARY";
    const pages = this.isPlain ? this.plainPages() : [this.numbersPage()];
    for (const page of pages) {
      uncompressed += writeDataPage(out, compress, { ...page, encoding });
    }
    const chunk: ColumnChunk = {
      file_offset: BigInt(start),
      meta_data: {
        type: element.type,
        encodings: this.isPlain ? ["PLAIN"] : ["PLAIN", "RLE_DICTIONARY"],
        path_in_schema: [this.name],
        codec: "SNAPPY",
        num_values: BigInt(rows),
        total_compressed_size: BigInt(out.offset - start),
        total_uncompressed_size: BigInt(uncompressed),
        data_page_offset: BigInt(firstData),
        ...(this.isPlain ? {} : { dictionary_page_offset: BigInt(start) }),
        statistics: statisticsOf(values, element.type, rows - this.count),
        encoding_stats: [
          ...(this.isPlain ? [] : [{ page_type: "DICTIONARY_PAGE", encoding: "PLAIN", count: 1 } as const]),
          { page_type: "DATA_PAGE_V2", encoding, count: pages.length },
        ],
      },
    };
    this.clear();
    return chunk;
  }

  /** Whether the dictionary and the numbers take at most half of the bytes of the values. */
  private isDictionarySmaller(): boolean {
    const { values } = this.dictionary;
    const numberBytes = Math.ceil((this.count * bitWidth(values.count)) / 8);
    return values.count > 0 && 2 * (values.length + numberBytes) <= this.plainBytes;
  }

  private numbersPage(): Omit<DataPage, "encoding"> {
    return {
      body: encodeNumbers(this.numbers.subarray(0, this.count), this.dictionary.values.count),
      rows: this.rows,
      present: this.presentOf(0, this.rows),
    };
  }

  /** A page ends before the value that would fill it; nulls belong to the page of the value before them. */
  private plainPages(): Omit<DataPage, "encoding">[] {
    const { plain, rows } = this;
    const pages: Omit<DataPage, "encoding">[] = [];
    let first = 0;
    let firstAt = 0;
    let at = 0;
    let size = 0;
    const endPage = (row: number) => {
      const present = this.presentOf(first, row);
      pages.push({ body: plain.bytes.subarray(firstAt, at), rows: row - first, present });
    };
    for (let row = 0; row < rows; row += 1) {
      if (this.isOptional && this.present[row] === 0) {
        continue;
      }
      const valueSize = plain.sizeAt(at);
      size += valueSize;
      if (size >= PAGE_BYTES && row > first) {
        endPage(row);
        first = row;
        firstAt = at;
        size = valueSize;
      }
      at += plain.prefix + valueSize;
    }
    endPage(rows);
    return pages;
  }

  private presentOf(first: number, end: number): Uint8Array | undefined {
    return this.isOptional ? this.present.subarray(first, end) : undefined;
  }

  private clear(): void {
    this.dictionary.clear();
    this.plain.clear();
    this.isPlain = false;
    this.rows = 0;
    this.count = 0;
    this.plainBytes = 0;
  }
}
