import type { Product } from "../../../contract/product.ts";
import type { Session, SqlParameter } from "../database/database-session.ts";
import { DamagedDataError, type Page, type RowPlace, type RowTexts } from "../store.ts";
import type { RowSet } from "./row-counts.ts";
import { compactDay, readDays, retailersOf } from "./row-counts.ts";

const [NEWLINE, COMMA] = [10, 44];

/** To find and sort a row takes about as long as to pass by this many rows in order. */
const SORTING_COST = 4;

const ROW_ORDER = "sku, retailer, day, product_id";

/** Of a version: the parameters ?1 to ?3 are the version and the days. */
const IN_VERSION = "added <= ?1 AND (removed IS NULL OR removed > ?1) AND day BETWEEN ?2 AND ?3";

/**
 * Reads a page in the row order of the service. @param after the row before the page; without it, `offset` rows are skipped
 * @throws DamagedDataError if the database lacks a row that it counted
 */
export async function readPage(
  session: Session,
  set: RowSet,
  { offset, after }: { offset: number; after?: RowPlace | undefined },
  limit: number,
): Promise<Page> {
  const length = Math.max(0, Math.min(limit, set.total - offset));
  if (length === 0) {
    return { count: 0, bytes: Buffer.alloc(0), last: undefined };
  }
  const { dialect } = session;
  const parameters: SqlParameter[] = [set.version, ...set.days];
  const parameter = (value: SqlParameter) => `?${parameters.push(value)}`;
  const conditions = [IN_VERSION];
  let ofRetailers: string | undefined;
  if (!set.isWhole) {
    const retailers = retailersOf(set.combinations);
    const [retailer = ""] = retailers;
    const ids = parameters.push(set.combinations.map(({ id }) => id));
    conditions.push(dialect.isListed("combination", ids, "BIGINT"));
    // A comparison with one value is what every engine takes to choose the server of a row.
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
  const { bytes, count } = dialect.textsOf(await session.query(statement, parameters));
  if (count !== length) {
    throw new DamagedDataError(`the database has ${count} rows where it counted ${length}`);
  }
  return pageOf(bytes, length);
}

/**
 * Reads `most` rows, evenly spread over combinations and days. The cost depends on the days of at most `most` combinations, and on
 * the rows that one of them has on a day. @throws DamagedDataError
 */
export async function readSampledRows(session: Session, set: RowSet, most: number): Promise<RowTexts> {
  if (set.total <= most) {
    return await readPage(session, set, { offset: 0 }, most);
  }
  const places = Array.from({ length: most }, (_, index) => Math.floor((index * set.total) / most));
  const sampled = placesOfParts(places, set.combinations, ({ matching }) => matching);
  const combinations = sampled.map(({ part }) => part);
  const cells = await readDays(session, set.version, set.days, combinations);
  const texts: string[] = [];
  for (const { part, places: ofCombination } of sampled) {
    const days = cells.filter(({ combination }) => combination === part.id);
    for (const { part: cell, places: ofDay } of placesOfParts(ofCombination, days, ({ rows }) => rows)) {
      for (const place of ofDay) {
        const parameters = [set.version, ...set.days, cell.day, part.id, part.retailer, place];
        texts.push(...(await session.query(ROW_OF_CELL, parameters)).map(String));
      }
    }
  }
  if (texts.length !== most) {
    throw new DamagedDataError(`the database has ${texts.length} rows of a sample where it counted ${most}`);
  }
  return { count: most, bytes: Buffer.from(inRowOrder(texts).join()) };
}

const ROW_OF_CELL = `
  SELECT body FROM product WHERE ${IN_VERSION} AND day = ?4 AND combination = ?5 AND retailer = ?6
  ORDER BY sku, product_id LIMIT 1 OFFSET ?7`;

/** The places that lie in each part of a sequence, counted from the beginning of the part. Parts without places are left out. */
function placesOfParts<Part>(places: readonly number[], parts: readonly Part[], sizeOf: (part: Part) => number) {
  let end = 0;
  return parts.flatMap((part) => {
    const start = end;
    end += sizeOf(part);
    const own = places.filter((place) => place >= start && place < end).map((place) => place - start);
    return own.length === 0 ? [] : [{ part, places: own }];
  });
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

/** The place of a row in the row order. */
function placeOf(text: string): RowPlace {
  const { sku, retailer, crawl_date, product_id } = JSON.parse(text) as Product;
  return { sku, retailer, day: compactDay(crawl_date), product_id };
}

/** A page from its texts, which have no line breaks and are joined by them. */
function pageOf(bytes: Buffer, count: number): Page {
  const last = placeOf(bytes.toString("utf8", bytes.lastIndexOf(NEWLINE) + 1));
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    bytes[at] = COMMA;
  }
  return { count, bytes, last };
}
