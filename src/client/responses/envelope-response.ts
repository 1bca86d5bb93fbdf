import type { Meta, ResolvedFilters } from "../../contract/envelope.ts";
import { ContractError } from "../../contract/errors.ts";
import { FILTER_NAMES, type FilterName, type Filters, splitRcd } from "../../contract/filters.ts";
import type { Schema } from "../../contract/object-schema.ts";
import { brokenContract, readShape } from "./shape.ts";

interface Envelope<D, P> {
  data: D[];
  pagination: P;
  meta: Meta;
}

/**
 * Reads an envelope of contract section 2.6 and compares it with the filters that were sent.
 *
 * @throws ContractError if the shape is wrong, or the service applied other filters.
 */
export function readEnvelope<D, P>(schema: Schema, document: unknown, filters: Filters): Envelope<D, P> {
  const requestId = requestIdOf(document);
  const envelope = readShape<Envelope<D, P>>(schema, document, requestId);
  const resolved = appliedFilters(filters, envelope.meta);
  const { earliest_date, latest_date, matching_rows } = envelope.meta.coverage;
  if (matching_rows > 0 && (earliest_date === null || latest_date === null)) {
    const what = `\`meta.coverage.${earliest_date === null ? "earliest" : "latest"}_date\` is null, but \`matching_rows\` is ${matching_rows}`;
    throw brokenContract(what, requestId, false);
  }
  if (earliest_date !== null && latest_date !== null && earliest_date > latest_date) {
    throw brokenContract("`meta.coverage.earliest_date` is after `meta.coverage.latest_date`", requestId);
  }
  return { ...envelope, meta: { ...envelope.meta, resolved } };
}

function requestIdOf(document: unknown): string | undefined {
  const id = (document as { meta?: { request_id?: unknown } | null } | null | undefined)?.meta?.request_id;
  return typeof id === "string" ? id : undefined;
}

const RCD_PARTS = ["retailer", "category", "department"] as const;

/**
 * With other filters the response has other rows. A retry would not change that. A service may name the triples of `rcd`
 * in any order, or their parts in `retailer`, `category` and `department` instead or as well.
 *
 * @returns the filters that were applied, in one form for all services
 */
function appliedFilters(filters: Filters, { resolved, request_id }: Meta): ResolvedFilters {
  // The usual response. A slice may name hundreds of triples, which are then not taken apart for each of its pages.
  if (FILTER_NAMES.every((name) => resolved[name] === (filters[name] ?? null))) {
    return resolved;
  }
  const triples = filters.rcd?.split(",") ?? [];
  const combinations = triples.map(splitRcd);
  const isPartApplied = (name: (typeof RCD_PARTS)[number]) =>
    isSameList(
      resolved[name],
      combinations.map((combination) => combination[name]),
    );
  const isAppliedAsTriples = (name: FilterName) => {
    if (name !== "rcd") {
      return RCD_PARTS.some((part) => part === name && isPartApplied(part));
    }
    return resolved.rcd === null ? RCD_PARTS.every(isPartApplied) : isSameList(resolved.rcd, triples);
  };
  const entries = FILTER_NAMES.map((name) => {
    const sent = filters[name] ?? null;
    if (resolved[name] !== sent && (filters.rcd === undefined || !isAppliedAsTriples(name))) {
      const [asked, applied] = [sent, resolved[name]].map((value) =>
        value === null ? "nothing" : JSON.stringify(value),
      );
      throw new ContractError(
        `The service applied another filter than was sent: \`meta.resolved.${name}\` is ${applied}, but ${asked} was sent (request ${request_id})`,
        request_id,
      );
    }
    return [name, sent];
  });
  return Object.fromEntries(entries) as ResolvedFilters;
}

/** Whether the list has exactly these values, in any order. */
function isSameList(list: string | null, values: readonly string[]): boolean {
  const found = new Set(list?.split(","));
  const wanted = new Set(values);
  return list !== null && found.size === wanted.size && [...wanted].every((value) => found.has(value));
}

/** The error for a response with content outside the filters. */
export function outsideFilters(what: string, requestId: string): ContractError {
  return new ContractError(
    `The service answered with ${what}, which is outside the filters that were sent (request ${requestId})`,
    requestId,
  );
}
