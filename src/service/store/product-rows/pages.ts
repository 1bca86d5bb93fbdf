import type { Product } from "../../../contract/product.ts";
import type { Session, SqlParameter } from "../database/database-session.ts";
import type { PageRow } from "../database/dialect.ts";
import type { PageStart, RowPlace } from "../store-types.ts";
import {
  type CombinationCount,
  type CountedCombination,
  compactDay,
  countAt,
  type DayNumbers,
  placeFrom,
} from "./row-counts.ts";

/** The rows of one version that match a set of filters. */
export interface RowSet {
  version: number;
  days: DayNumbers;
  /** The combinations with matching rows. Undefined if the filters match all combinations. */
  listed: { ids: readonly number[]; retailers: readonly string[] } | undefined;
  /** Rows of the set, and of all combinations. */
  total: number;
  stored: number;
}

const [NEWLINE, COMMA] = [10, 44];

/** To find and sort a row takes about as long as to skip this many rows of an index. */
const SORTING_COST = 4;

const ROW_ORDER = "sku, retailer, day, product_id";

/** Of a version: the parameters ?1 to ?3 are the version and the days. */
const IN_VERSION = "added <= ?1 AND (removed IS NULL OR removed > ?1) AND day BETWEEN ?2 AND ?3";

/**
 * Reads a page in the row order of the service. @param after the row before the page; without it, `offset` rows are skipped
 * @returns the JSON texts of its rows as UTF-8, with commas between them
 * @throws Error if the database lacks a row that it counted
 */
export async function readPage(
  session: Session,
  set: RowSet,
  { offset, after }: PageStart,
  limit: number,
): Promise<{ count: number; bytes: Buffer; last: RowPlace | undefined }> {
  const length = Math.max(0, Math.min(limit, set.total - offset));
  if (length === 0) {
    return { count: 0, bytes: Buffer.alloc(0), last: undefined };
  }
  const { dialect } = session;
  const parameters: SqlParameter[] = [set.version, ...set.days];
  const parameter = (value: SqlParameter) => `?${parameters.push(value)}`;
  const conditions = [IN_VERSION];
  let ofRetailers: string | undefined;
  if (set.listed !== undefined) {
    const { ids, retailers } = set.listed;
    const [retailer = ""] = retailers;
    conditions.push(dialect.isListed("combination", parameters.push(ids), "BIGINT"));
    // Every engine finds the server of a row by a comparison with one value, but not all by a list.
    ofRetailers =
      retailers.length === 1
        ? `retailer = ${parameter(retailer)}`
        : dialect.isListed("retailer", parameters.push(retailers), "TEXT");
    conditions.push(ofRetailers);
  }
  if (after !== undefined) {
    const place = [dialect.sortedValue(after.sku), after.retailer, after.day, dialect.sortedValue(after.product_id)];
    conditions.push(`(${ROW_ORDER}) > (${place.map(parameter).join(", ")})`);
  }
  const bounds = `LIMIT ${parameter(length)}${after === undefined && offset > 0 ? ` OFFSET ${parameter(offset)}` : ""}`;
  const isSorted = set.total * set.total * SORTING_COST <= limit * set.stored;
  const statement = dialect.page(conditions.join(" AND "), ROW_ORDER, bounds, isSorted ? ofRetailers : undefined);
  const { bytes, count } = dialect.textsOf(await session.query<PageRow>(statement, parameters));
  if (count !== length) {
    throw new Error(`the database has ${count} rows where it counted ${length}`);
  }
  // The texts have no line breaks.
  const lastText = bytes.toString("utf8", bytes.lastIndexOf(NEWLINE) + 1);
  const { sku, retailer, crawl_date, product_id } = JSON.parse(lastText) as Product;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    bytes[at] = COMMA;
  }
  return { count: length, bytes, last: { sku, retailer, day: compactDay(crawl_date), product_id } };
}

/**
 * Reads `most` rows, evenly spread over combinations and days. The cost depends on the rows that a combination has on a day.
 * @param counts of the set @returns their texts, as `readPage` does @throws Error as `readPage`
 */
export async function readSampledRows(
  session: Session,
  set: RowSet,
  counts: readonly CombinationCount[],
  most: number,
): Promise<Buffer> {
  if (set.total <= most) {
    return (await readPage(session, set, { offset: 0 }, most)).bytes;
  }
  const parameters: SqlParameter[] = [set.version];
  const rows = sampledPlaces(set, counts, most).map(({ day, combination, place }) =>
    rowOfCell(parameters.push(day, combination.id, combination.retailer, place)),
  );
  const found = await session.query<{ body: string }>(rows.join(" UNION ALL "), parameters);
  const texts = found.map(({ body }) => body);
  if (texts.length !== most) {
    throw new Error(`the database has ${texts.length} rows of a sample where it counted ${most}`);
  }
  return Buffer.from(inRowOrder(texts).join());
}

/** Reads one row by the last four parameters: day, combination, retailer, and its place among the rows of that cell. */
const rowOfCell = (last: number) => `
  SELECT body FROM (
    SELECT body FROM product WHERE added <= ?1 AND (removed IS NULL OR removed > ?1)
      AND day = ?${last - 3} AND combination = ?${last - 2} AND retailer = ?${last - 1}
    ORDER BY sku, product_id LIMIT 1 OFFSET ?${last}
  ) AS cell`;

/** The combination, the day and the place on it of `most` rows at even distances. */
function sampledPlaces({ days: [first], total }: RowSet, counts: readonly CombinationCount[], most: number) {
  const places: { combination: CountedCombination; day: number; place: number }[] = [];
  const nextPlace = () => Math.floor((places.length * total) / most);
  let end = 0;
  for (const { combination, matching_rows } of counts) {
    let before = end;
    end += matching_rows;
    for (let at = placeFrom(combination.totals, first); nextPlace() < end; at += 2) {
      const rows = countAt(combination.totals, at);
      for (let next = nextPlace(); next < before + rows; next = nextPlace()) {
        places.push({ combination, day: combination.totals[at] ?? 0, place: next - before });
      }
      before += rows;
    }
  }
  return places;
}

function inRowOrder(texts: readonly string[]): string[] {
  return texts
    .map((text) => {
      const { sku, retailer, crawl_date, product_id } = JSON.parse(text) as Product;
      return { text, key: [sku, retailer, crawl_date, product_id].map((value) => Buffer.from(value)) };
    })
    .toSorted(({ key }, other) => key.reduce((order, value, at) => order || value.compare(other.key[at] ?? value), 0))
    .map(({ text }) => text);
}
