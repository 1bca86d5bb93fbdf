import type { Meta } from "../../contract/envelope.ts";
import { FILTER_NAMES, type Filters } from "../../contract/filters.ts";
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
  assertApplied(filters, envelope.meta);
  const { earliest_date, latest_date } = envelope.meta.coverage;
  if (earliest_date !== null && latest_date !== null && earliest_date > latest_date) {
    throw brokenContract("`meta.coverage.earliest_date` is after `meta.coverage.latest_date`", requestId);
  }
  return envelope;
}

function requestIdOf(document: unknown): string | undefined {
  const meta = isJsonObject(document) ? document.meta : undefined;
  const id = isJsonObject(meta) ? meta.request_id : undefined;
  return typeof id === "string" ? id : undefined;
}

/** With other filters the response has other rows. A retry would not change that. */
function assertApplied(filters: Filters, { resolved, request_id }: Meta): void {
  for (const name of FILTER_NAMES) {
    const sent = filters[name] ?? null;
    if (resolved[name] !== sent) {
      const [asked, applied] = [sent, resolved[name]].map((value) =>
        value === null ? "nothing" : JSON.stringify(value),
      );
      throw new ContractError(
        `The service applied another filter than was sent: \`meta.resolved.${name}\` is ${applied}, but ${asked} was sent (request ${request_id})`,
        request_id,
      );
    }
  }
}

/** The error for a response with content outside the filters. */
export function outsideFilters(what: string, requestId: string): ContractError {
  return new ContractError(
    `The service answered with ${what}, which is outside the filters that were sent (request ${requestId})`,
    requestId,
  );
}
