import type { Meta, ResolvedFilters } from "../../contract/envelope.ts";
import { FILTER_NAMES, type FilterName, type Filters, splitRcd } from "../../contract/filters.ts";
import { isJsonObject } from "../../contract/values/json-object.ts";
import { ContractError } from "../../errors.ts";
import { brokenContract, readShape, type Shape } from "./shape.ts";

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
export function readEnvelope<D, P>(schema: Shape, document: unknown, filters: Filters): Envelope<D, P> {
  const requestId = requestIdOf(document);
  const envelope = readShape<Envelope<D, P>>(schema, document, requestId);
  const resolved = appliedFilters(filters, envelope.meta);
  const { earliest_date, latest_date } = envelope.meta.coverage;
  if (earliest_date !== null && latest_date !== null && earliest_date > latest_date) {
    throw brokenContract("`meta.coverage.earliest_date` is after `meta.coverage.latest_date`", requestId);
  }
  return { ...envelope, meta: { ...envelope.meta, resolved } };
}

function requestIdOf(document: unknown): string | undefined {
  const meta = isJsonObject(document) ? document.meta : undefined;
  const id = isJsonObject(meta) ? meta.request_id : undefined;
  return typeof id === "string" ? id : undefined;
}

/**
 * With other filters the response has other rows. A retry would not change that.
 *
 * @returns the filters that were applied, in one form for all services
 */
function appliedFilters(filters: Filters, { resolved, request_id }: Meta): ResolvedFilters {
  // The usual response. A slice may name hundreds of triples, which are then not taken apart for each of its pages.
  if (FILTER_NAMES.every((name) => resolved[name] === (filters[name] ?? null))) {
    return resolved;
  }
  const expanded = expandedTriples(filters.rcd);
  const isExpanded = (name: FilterName) => listKey(resolved[name]) === expanded[name];
  const entries = FILTER_NAMES.map((name) => {
    const sent = filters[name] ?? null;
    const isApplied =
      resolved[name] === sent ||
      (name in expanded && isExpanded(name)) ||
      (name === "rcd" && filters.rcd !== undefined && isRcdApplied(filters.rcd, resolved.rcd, isExpanded));
    if (!isApplied) {
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

/** The same triples in any order, or none if `retailer`, `category` and `department` hold their parts instead. */
function isRcdApplied(sent: string, applied: string | null, isExpanded: (name: FilterName) => boolean): boolean {
  return applied === null ? RCD_PARTS.every(isExpanded) : listKey(applied) === listKey(sent);
}

const RCD_PARTS = ["retailer", "category", "department"] as const;

/** The parts of the triples of an `rcd` filter; a part of several triples is a list. */
function expandedTriples(rcd: string | undefined): Filters {
  if (rcd === undefined) {
    return {};
  }
  const triples = rcd.split(",").map(splitRcd);
  return Object.fromEntries(RCD_PARTS.map((name) => [name, listKey(triples.map((triple) => triple[name]).join())]));
}

/** The same text for lists of the same values. */
function listKey(list: string | null): string | undefined {
  return list === null ? undefined : [...new Set(list.split(","))].sort().join();
}

/** The error for a response with content outside the filters. */
export function outsideFilters(what: string, requestId: string): ContractError {
  return new ContractError(
    `The service answered with ${what}, which is outside the filters that were sent (request ${requestId})`,
    requestId,
  );
}
