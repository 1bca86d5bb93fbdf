import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { configPath } from "../../config/config-file.ts";
import { type ConnectionSettings, resolveService } from "../../config/settings.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { visible } from "../../output/terminal/visible.ts";
import { checkKey, type KeyFacts } from "./key-check.ts";

/**
 * Shows the key in use, its source, and what the service reports about it.
 *
 * @throws ApiError if the service refuses the key, after the known facts were written
 */
export async function showAuthStatus(
  globals: GlobalOptions,
  format: "text" | "json" = "text",
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const settings = await resolveService(globals, context);
  const { baseUrl, credential } = settings;
  if (credential.warning !== undefined) {
    reporter.warn(credential.warning);
  }
  let facts: KeyFacts | undefined;
  let refusal: ApiError | undefined;
  try {
    facts = await checkKey({ baseUrl, apiKey: credential.apiKey, globals }, reporter, context);
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
function reportOf({ baseUrl, credential, profile }: ConnectionSettings, facts: KeyFacts | undefined, path: string) {
  const { apiKey, source } = credential;
  const rates = Object.entries(facts?.rates ?? {}).map(([group, { limit, remaining, resetSeconds }]) => {
    const entry = { limit, remaining, reset_seconds: resetSeconds };
    return [group, entry] as const;
  });
  return {
    base_url: baseUrl.href,
    profile: profile ?? null,
    config_file: path,
    key_source: source,
    // A string that is too short to be a key is not shown: four characters would be a large part of it.
    key_ends_in: apiKey.length < 16 ? "" : apiKey.slice(-4),
    accepted: facts !== undefined,
    scopes: facts?.scopes ?? null,
    rate_limits: facts === undefined ? null : Object.fromEntries(rates),
  };
}

/** @param origin the only origin that the key is sent to, if it is bound to one */
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
