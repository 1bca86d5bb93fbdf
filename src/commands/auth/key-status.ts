import type { Context } from "../../cli/context.ts";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import { type Reporter, startReporting } from "../../cli/reporter.ts";
import { clientSettings } from "../../cli/source/connection.ts";
import { type ClientOptions, createClient } from "../../client/client.ts";
import type { RateHeaders } from "../../client/requests/rate-window.ts";
import { configPath } from "../../config/config-file.ts";
import { type ConnectionSettings, resolveService } from "../../config/settings.ts";
import { ApiError } from "../../contract/errors.ts";
import type { EndpointGroup } from "../../contract/limits.ts";
import { OPERATIONS, type Scope } from "../../contract/operations.ts";
import { visible } from "../../contract/values/visible.ts";

export interface AuthStatusOptions {
  globals: GlobalOptions;
  format: "text" | "json";
}

/**
 * Shows the key in use, its source, and what the service reports about it.
 *
 * @throws ApiError if the service refuses the key, after showing what is known
 */
export async function showAuthStatus({ globals, format }: AuthStatusOptions, outer: Context): Promise<void> {
  using reporting = startReporting(globals, outer);
  const { reporter, signal } = reporting;
  const context = { ...outer, signal };
  const settings = await resolveService(globals, context);
  const { baseUrl, credential } = settings;
  if (credential.warning !== undefined) {
    reporter.warn(credential.warning);
  }
  let facts: KeyFacts | undefined;
  let refusal: ApiError | undefined;
  try {
    facts = await checkKey(
      { baseUrl, apiKey: credential.apiKey, keySource: credential.source, globals },
      reporter,
      context,
    );
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      throw error;
    }
    refusal = error;
  }
  const report = reportOf(settings, facts, configPath(context));
  await context.print(
    format === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : statusText(report, credential.origin),
  );
  if (refusal !== undefined) {
    throw refusal;
  }
}

/** @param facts undefined if the service refuses the key */
function reportOf(
  { baseUrl, credential, profile }: ConnectionSettings,
  facts: KeyFacts | undefined,
  path: string | undefined,
) {
  const { apiKey, source } = credential;
  const rates = Object.entries(facts?.rates ?? {}).map(
    ([group, { resetSeconds, ...rate }]) => [group, { ...rate, reset_seconds: resetSeconds }] as const,
  );
  return {
    base_url: baseUrl.href,
    profile: profile ?? null,
    config_file: path ?? null,
    key_source: source,
    // Four characters would be too much of a short string.
    key_ends_in: apiKey.length < 16 ? "" : apiKey.slice(-4),
    accepted: facts !== undefined,
    scopes: facts?.scopes ?? null,
    rate_limits: facts === undefined ? null : Object.fromEntries(rates),
  };
}

/** @param origin the only origin that gets the key, if there is one */
function statusText(report: ReturnType<typeof reportOf>, origin: string | undefined): string {
  const { base_url, profile, config_file, key_source, key_ends_in, scopes, rate_limits, accepted } = report;
  const allowed = Object.entries(scopes ?? {}).map(([scope, allows]) => `${scope} ${allows ? "yes" : "no"}`);
  const rates = Object.entries(rate_limits ?? {}).map(
    ([group, { limit, remaining, reset_seconds }]) =>
      `${group === "catalog" ? "export, coverage" : group}: ${remaining} of ${limit} requests left for ${reset_seconds} s`,
  );
  const bound = origin === undefined ? "" : `; this key is only sent to ${origin}`;
  const lines = [
    ["service", base_url],
    ["profile", profile === null ? "none" : `${profile} (${config_file})`],
    ["key", `…${key_ends_in}, from ${key_source}${bound}`],
    ["accepted", accepted ? "yes" : "no"],
    ...(scopes === null ? [] : [["scopes", allowed.join(", ")]]),
    ...rates.map((rate) => ["rate limit", rate]),
  ];
  return lines.map(([name = "", value = ""]) => `${name.padEnd(10)}  ${visible(value)}\n`).join("");
}

export interface KeyFacts {
  scopes: Record<Scope, boolean>;
  rates: Partial<Record<EndpointGroup, RateHeaders>>;
}

/** A day without rows, so that the requests cost the service almost nothing. */
const LONG_AGO = { start_date: "1900-01-01", end_date: "1900-01-01" };

/**
 * Finds the scopes of a key by one cheap request for each.
 *
 * @throws ApiError if the service refuses the key; any other error of a request
 */
export async function checkKey(
  {
    baseUrl,
    apiKey,
    keySource,
    globals,
  }: Pick<ClientOptions, "baseUrl" | "apiKey" | "keySource"> & Pick<AuthStatusOptions, "globals">,
  { onEvent, progress }: Reporter,
  context: Context,
): Promise<KeyFacts> {
  const rates: KeyFacts["rates"] = {};
  const client = createClient({
    ...clientSettings(globals, context),
    baseUrl,
    apiKey,
    keySource,
    onEvent: (event) => {
      if (event.type === "response" && event.rate !== undefined && event.operation !== "status") {
        rates[OPERATIONS[event.operation].group] = event.rate;
      }
      onEvent(event);
      progress.update({ doing: `checking the key with ${baseUrl.host}` });
    },
  });
  try {
    // In sequence, so that an unknown key counts as one failed attempt.
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
