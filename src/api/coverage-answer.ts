import type { Coverage } from "../contract/coverage.ts";
import type { Meta } from "../contract/envelope.ts";
import { type Filters, formatRcd } from "../contract/filters.ts";
import type { Checks } from "./checks.ts";
import { openEnvelope } from "./meta.ts";

/** An answer of `GET /v1/coverage`. */
export interface CoverageAnswer {
  /** In the order of the service, which the contract leaves open. */
  data: Coverage[];
  meta: Meta;
}

/**
 * Pulls are planned from a coverage, so an entry that is missing would be rows that are missing: the
 * entries must add up to `meta.coverage`.
 *
 * @throws ContractError where the answer is not what contract section 4.4 promises.
 */
export function readCoverage(document: unknown, filters: Filters): CoverageAnswer {
  const { data, pagination, meta, checks } = openEnvelope(document, filters);
  if (checks.flag(pagination.has_more, "`pagination.has_more`")) {
    checks.fail("a coverage has no further page, but `has_more` is true");
  }
  const entries = data.map((entry, index) => readEntry(entry, `entry ${index + 1}`, checks));
  assertSums(entries, meta, checks);
  return { data: entries, meta };
}

function readEntry(value: unknown, place: string, checks: Checks): Coverage {
  const entry = checks.object(value, place);
  const read = {
    retailer: checks.text(entry.retailer, `\`retailer\` of ${place}`),
    department: checks.text(entry.department, `\`department\` of ${place}`),
    category: checks.text(entry.category, `\`category\` of ${place}`),
    rcd: checks.text(entry.rcd, `\`rcd\` of ${place}`),
    corpus_rows: checks.count(entry.corpus_rows, `\`corpus_rows\` of ${place}`),
    matching_rows: checks.count(entry.matching_rows, `\`matching_rows\` of ${place}`),
    earliest_date: checks.date(entry.earliest_date, `\`earliest_date\` of ${place}`),
    latest_date: checks.date(entry.latest_date, `\`latest_date\` of ${place}`),
  };
  if (read.rcd !== formatRcd(read)) {
    checks.fail(`\`rcd\` of ${place} is not its retailer:category:department`);
  }
  return read;
}

function assertSums(entries: readonly Coverage[], { coverage }: Meta, checks: Checks): void {
  const sums = {
    combinations: entries.length,
    matching_rows: entries.reduce((sum, entry) => sum + entry.matching_rows, 0),
    corpus_rows: entries.reduce((sum, entry) => sum + entry.corpus_rows, 0),
  };
  for (const name of ["combinations", "matching_rows", "corpus_rows"] as const) {
    if (sums[name] !== coverage[name]) {
      checks.fail(`\`meta.coverage.${name}\` is ${coverage[name]}, but the entries make ${sums[name]}`);
    }
  }
  if (new Set(entries.map((entry) => entry.rcd)).size !== entries.length) {
    checks.fail("a combination is listed twice");
  }
}
