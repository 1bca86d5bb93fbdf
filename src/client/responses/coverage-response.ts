import { type Coverage, summaryOf } from "../../contract/coverage.ts";
import { coverageResponseSchema, type Meta, type Pagination } from "../../contract/envelope.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { type Filters, formatRcd } from "../../contract/filters.ts";
import { outsideFilters, readEnvelope } from "./envelope-response.ts";
import type { Identified } from "./read-response.ts";
import { brokenContract } from "./shape.ts";

/** A response of `GET /v1/coverage`. */
export interface CoverageResponse extends Identified {
  /** In the order of the service, which the contract leaves open. */
  data: Coverage[];
  meta: Meta;
}

/**
 * Reads a coverage. Pulls are planned from it, so a missing entry would mean missing rows: the entries must lie within
 * the filters and add up to `meta.coverage`.
 *
 * @throws ContractError if the response is not what contract section 4.4 promises.
 */
export function readCoverage(document: unknown, filters: Filters): CoverageResponse {
  const { data, pagination, meta } = readEnvelope<Coverage, Pagination>(coverageResponseSchema, document, filters);
  if (pagination.has_more) {
    throw brokenContract("a coverage has no further page, but `pagination.has_more` is true", meta.request_id);
  }
  assertConsistent(data, meta);
  assertWithin(data, filters, meta);
  return { data, meta };
}

/** Maximum number of rows of a service. A count that is wrong by far would use up the memory when a pull is planned. */
const MAX_ROWS = 100_000_000_000;

function assertConsistent(entries: readonly Coverage[], { coverage, request_id }: Meta): void {
  const sums = summaryOf(entries);
  for (const name of ["combinations", "matching_rows", "corpus_rows"] as const) {
    if (sums[name] !== coverage[name]) {
      const what = `\`meta.coverage.${name}\` is ${coverage[name]}, but the entries add up to ${sums[name]}`;
      throw brokenContract(what, request_id);
    }
  }
  if (coverage.matching_rows > MAX_ROWS) {
    const what = `\`meta.coverage.matching_rows\` is ${coverage.matching_rows}, more than ${MAX_ROWS}`;
    throw brokenContract(what, request_id);
  }
  entries.forEach((entry, index) => {
    if (entry.rcd !== formatRcd(entry)) {
      throw brokenContract(`\`data[${index}].rcd\` is not its retailer:category:department`, request_id);
    }
    // Without matching rows the dates have no meaning.
    if (entry.matching_rows > 0 && entry.earliest_date > entry.latest_date) {
      throw brokenContract(`\`data[${index}].earliest_date\` is after \`data[${index}].latest_date\``, request_id);
    }
  });
  if (new Set(entries.map((entry) => entry.rcd)).size !== entries.length) {
    throw brokenContract("a combination is listed twice", request_id);
  }
}

function assertWithin(entries: readonly Coverage[], filters: Filters, { request_id }: Meta): void {
  const isOfCombination = combinationFilter(filters);
  const isOfDay = dayFilter(filters);
  for (const entry of entries) {
    if (!isOfCombination(entry)) {
      throw outsideFilters(`coverage of ${JSON.stringify(entry.rcd)}`, request_id);
    }
    const { earliest_date, latest_date, matching_rows } = entry;
    const day = matching_rows === 0 ? undefined : [earliest_date, latest_date].find((date) => !isOfDay(date));
    if (day !== undefined) {
      throw outsideFilters(`rows of ${day} in ${JSON.stringify(entry.rcd)}`, request_id);
    }
  }
}
