import type { CoverageSummary } from "../contract/coverage.ts";
import type { Meta, ResolvedFilters } from "../contract/envelope.ts";
import { FILTER_NAMES, type FilterName, type Filters } from "../contract/filters.ts";
import { type Checks, checksFor, type Fields, isFields } from "./checks.ts";

/** The parts that every envelope has, contract section 2.6, and the checks for the rest of it. */
export interface OpenedEnvelope {
  data: unknown[];
  pagination: Fields;
  meta: Meta;
  checks: Checks;
}

/** @throws ContractError where a part is missing or the filters that were applied are not those that were sent. */
export function openEnvelope(document: unknown, filters: Filters): OpenedEnvelope {
  const checks = checksFor(requestIdOf(document));
  const envelope = checks.object(document, "the body");
  const meta = checks.object(envelope.meta, "`meta`");
  const resolved = readResolved(checks.object(meta.resolved, "`meta.resolved`"), checks);
  assertApplied(filters, resolved, checks);
  return {
    data: checks.array(envelope.data, "`data`"),
    pagination: checks.object(envelope.pagination, "`pagination`"),
    meta: {
      request_id: checks.text(meta.request_id, "`meta.request_id`"),
      resolved,
      coverage: readSummary(checks.object(meta.coverage, "`meta.coverage`"), checks),
    },
    checks,
  };
}

function requestIdOf(document: unknown): string | undefined {
  const meta = isFields(document) ? document.meta : undefined;
  const id = isFields(meta) ? meta.request_id : undefined;
  return typeof id === "string" ? id : undefined;
}

function readResolved(resolved: Fields, checks: Checks): ResolvedFilters {
  const read = (name: FilterName) => checks.textOrNull(resolved[name] ?? null, `\`meta.resolved.${name}\``);
  return {
    retailer: read("retailer"),
    category: read("category"),
    department: read("department"),
    rcd: read("rcd"),
    start_date: read("start_date"),
    end_date: read("end_date"),
  };
}

/**
 * A filter that the service dropped would silently give other rows. Only its absence is told apart: how a
 * service writes an applied one is its own, and `rcd`, a shorthand, may come back as the filters that it stands for.
 */
function assertApplied(filters: Filters, resolved: ResolvedFilters, checks: Checks): void {
  for (const name of FILTER_NAMES) {
    const echoes = name === "rcd" ? (["rcd", "retailer", "category", "department"] as const) : [name];
    if (filters[name] !== undefined && echoes.every((echo) => resolved[echo] === null)) {
      checks.fail(`the filter \`${name}\` was sent but not applied`);
    }
  }
}

function readSummary(summary: Fields, checks: Checks): CoverageSummary {
  return {
    combinations: checks.count(summary.combinations, "`meta.coverage.combinations`"),
    matching_rows: checks.count(summary.matching_rows, "`meta.coverage.matching_rows`"),
    corpus_rows: checks.count(summary.corpus_rows, "`meta.coverage.corpus_rows`"),
    earliest_date: checks.dateOrNull(summary.earliest_date, "`meta.coverage.earliest_date`"),
    latest_date: checks.dateOrNull(summary.latest_date, "`meta.coverage.latest_date`"),
  };
}
