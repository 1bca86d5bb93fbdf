import { createClient } from "../../api/client.ts";
import type { RateHeaders } from "../../api/requests/rate-window.ts";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { clientSettings } from "../../cli/source/connection.ts";
import type { Context } from "../../context.ts";
import type { EndpointGroup } from "../../contract/limits.ts";
import { OPERATIONS, type Scope } from "../../contract/operations.ts";
import { ApiError } from "../../errors.ts";

/** What the service reports about a key. */
export interface KeyFacts {
  scopes: Record<Scope, boolean>;
  rates: Partial<Record<EndpointGroup, RateHeaders>>;
}

/** A day without rows, so that the requests below cost the service almost nothing. */
const LONG_AGO = { start_date: "1900-01-01", end_date: "1900-01-01" };

/**
 * Finds the scopes of a key by one harmless request for each scope.
 *
 * @throws ApiError if the service refuses the key; any other error of a request
 */
export async function checkKey(
  { baseUrl, apiKey, globals }: { baseUrl: URL; apiKey: string; globals: GlobalOptions },
  { onEvent, progress }: Reporter,
  context: Context,
): Promise<KeyFacts> {
  const rates: KeyFacts["rates"] = {};
  const client = createClient({
    ...clientSettings(globals, context),
    baseUrl,
    apiKey,
    onEvent: (event) => {
      if (event.type === "response" && event.rate !== undefined && event.operation !== "status") {
        rates[OPERATIONS[event.operation].group] = event.rate;
      }
      onEvent(event);
      progress.update({ doing: `checking the key with ${baseUrl.host}` });
    },
  });
  try {
    // One after the other, so that an unknown key does not count as two failed attempts.
    const scopes = {
      "catalog:sample": await isAllowed(client.sample(LONG_AGO)),
      "catalog:read": await isAllowed(client.coverage(LONG_AGO)),
    };
    return { scopes, rates };
  } finally {
    progress.clear();
    await client.close();
  }
}

async function isAllowed(response: Promise<unknown>): Promise<boolean> {
  try {
    await response;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.problem.code === "insufficient_scope") {
      return false;
    }
    throw error;
  }
}
