import { type CatalogClient, createClient } from "../../client/client.ts";
import { resolveService } from "../../config/settings.ts";
import { rememberVocabulary, type VocabularyOwner } from "../../config/vocabulary.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { splitLongFilters } from "../../pull/set-client.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import { resolveFilters, serviceFilters } from "../../pull/written-filters.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions } from "../flags/global.ts";
import type { SourceOptions } from "../flags/source.ts";
import { type Reporter, startReporting } from "../reporter.ts";
import { VERSION } from "../version.ts";
import { demoCache } from "./demo-cache.ts";

/** An open connection to a service. */
export interface Connection {
  /** Accepts an `rcd` of any length for coverage and samples. */
  client: CatalogClient;
  /** The resolved filters of the command line. */
  filters: SetFilters;
  /** Identifies the service in page stores and manifests. */
  service: string;
  reporter: Reporter;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
}

interface ConnectionOptions extends SourceOptions {
  /** Maximum requests a minute. */
  maxRate?: number | undefined;
}

/** Connects to the configured service or, with `--demo`, to a demo service that it starts. */
export async function connect(
  { globals, demo, maxRate, filters: written }: ConnectionOptions,
  context: Context,
): Promise<Connection & AsyncDisposable> {
  const { env, folders, protect, platform, kill, userId } = context;
  const reporting = startReporting(globals, context);
  const { reporter, signal } = reporting;
  const opened: (() => Promise<void>)[] = [async () => reporting[Symbol.dispose]()];
  const closeAll = async () => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) {
      await close();
    }
  };
  try {
    const settings = { ...clientSettings(globals, context), maxRate, signal, onEvent: reporter.onEvent };
    const { name, baseUrl, apiKey, keySource, profile, close } = demo
      ? await startDemo(context, reporter)
      : await configuredService(globals, { env, folders, signal, protect, platform, kill, userId }, reporter);
    opened.push(close);
    // Around the client that sends requests, one that remembers the names in coverages, and one that splits long filters.
    const direct = createClient({ ...settings, baseUrl, apiKey, keySource, env: demo ? {} : env });
    opened.push(direct.close);
    const remembering = rememberingClient(direct, { service: demo ? "demo" : name, profile }, context);
    const client = splitLongFilters(remembering);
    const filters = await resolveFilters(written, serviceFilters(client, signal), context.now());
    return { client, filters, service: name, reporter, signal, [Symbol.asyncDispose]: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The settings that all clients of this tool share. */
export function clientSettings({ timeout, retries, maxBody }: GlobalOptions, context: Context) {
  const { signal, now, elapsed, sleep, random, env } = context;
  const userAgent = `retail-catalog-cli/${VERSION}`;
  return { userAgent, requestTimeout: timeout, retries, maxBody, signal, now, elapsed, sleep, random, env };
}

async function configuredService(
  globals: GlobalOptions,
  context: Parameters<typeof resolveService>[1],
  { warn }: Reporter,
) {
  const { baseUrl, credential, profile } = await resolveService(globals, context);
  if (credential.warning !== undefined) {
    warn(credential.warning);
  }
  return {
    name: baseUrl.href,
    baseUrl,
    apiKey: credential.apiKey,
    keySource: credential.source,
    profile,
    close: async () => {},
  };
}

/** Starts a service with generated rows. Its `name` identifies the set of rows. */
export async function startDemo(context: Context, { progress }: Reporter) {
  progress.update({ doing: "starting the demo service" });
  const { startDemoService } = await import("../../service/demo/start-demo.ts");
  const now = context.now();
  const { url, apiKey, close } = await startDemoService(now, await demoCache(context));
  // The generated rows depend on today, even those of earlier crawl days.
  return {
    name: `demo of ${dayOf(now)}`,
    baseUrl: new URL(url),
    apiKey,
    keySource: undefined,
    profile: undefined,
    close,
  };
}

/** Wraps a client to store the combinations of coverage responses for completion. */
function rememberingClient(client: CatalogClient, owner: VocabularyOwner, context: Context): CatalogClient {
  return {
    ...client,
    coverage: async (filters, ...rest) => {
      const response = await client.coverage(filters, ...rest);
      const complete = FILTER_NAMES.every((name) => filters[name] === undefined);
      const rcds = response.data.map(({ rcd }) => rcd);
      await rememberVocabulary(owner, rcds, { complete }, context);
      return response;
    },
  };
}
