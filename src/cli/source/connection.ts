import { join } from "node:path";
import { type CatalogClient, createClient } from "../../api/client.ts";
import { resolveService } from "../../config/settings.ts";
import type { Context } from "../../context.ts";
import type { Filters } from "../../contract/filters.ts";
import { withLongLists } from "../../pull/long-lists.ts";
import { resolveFilters, serviceFilters, type WrittenFilters } from "../../pull/written-filters.ts";
import { VERSION } from "../../version.ts";
import type { GlobalOptions } from "../flags/global.ts";
import { withinMaxTime } from "../max-time.ts";
import { createReporter, type Reporter } from "../reporter.ts";
import { rememberingClient } from "./vocabulary-client.ts";

/** A client of the service that a command talks to. */
export interface Connection {
  /** Takes an `rcd` of any length for coverage and samples. */
  client: CatalogClient;
  /** What the filters of the command line mean now. */
  filters: Filters;
  /** Names the service in journals and manifests. */
  service: string;
  reporter: Reporter;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
}

interface ConnectionOptions {
  globals: GlobalOptions;
  demo: boolean;
  maxRate?: number | undefined;
  filters?: WrittenFilters | undefined;
}

/**
 * Connects to the configured service or, where the command line asks for it, to a demo service of its own; closes
 * both when `use` has settled.
 */
export async function withConnection<T>(
  { globals, demo, maxRate, filters: written = {} }: ConnectionOptions,
  context: Context,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  return await withinMaxTime(globals, context, async (signal) => {
    const reporter = createReporter(globals, context);
    let service: Demo | undefined;
    try {
      if (demo) {
        reporter.progress.update({ doing: "starting the demo service" });
        service = await startDemo(context);
      }
      const { name, baseUrl, apiKey, profile } =
        service ?? (await configured(globals, { ...context, signal }, reporter));
      const client = createClient({
        ...clientSettings(globals, context),
        baseUrl,
        apiKey,
        maxRate,
        signal,
        env: service === undefined ? context.env : {},
        onEvent: reporter.onEvent,
      });
      try {
        const vocabulary = { service: demo ? "demo" : name, profile };
        const remembering = withLongLists(rememberingClient(client, vocabulary, context));
        const filters = await resolveFilters(written, serviceFilters(remembering, signal), context.now());
        return await use({ client: remembering, filters, service: name, reporter, signal });
      } finally {
        await client.close();
      }
    } finally {
      reporter.progress.clear();
      await service?.close();
    }
  });
}

/** What every client of this tool has in common. */
export function clientSettings(globals: GlobalOptions, context: Context) {
  return {
    userAgent: `retail-catalog-cli/${VERSION}`,
    requestTimeout: globals.timeout,
    retries: globals.retries,
    maxBody: globals.maxBody,
    signal: context.signal,
    now: context.now,
    elapsed: context.elapsed,
    sleep: context.sleep,
    random: context.random,
    env: context.env,
  };
}

interface Target {
  /** Of the set behind it; another one must have another name. */
  name: string;
  baseUrl: URL;
  apiKey: string;
  profile: string | undefined;
}

async function configured(globals: GlobalOptions, context: Context, { warn }: Reporter): Promise<Target> {
  const { baseUrl, credential, profile } = await resolveService(globals, context);
  if (credential.warning !== undefined) {
    warn(credential.warning);
  }
  return { name: baseUrl.href, baseUrl, apiKey: credential.apiKey, profile };
}

type Demo = Target & { close: () => Promise<void> };

export async function startDemo(context: Context): Promise<Demo> {
  const { startDemoService } = await import("../../service/demo/start-demo.ts");
  const now = context.now();
  const { url, apiKey, close } = await startDemoService(now, join(context.folders.cache, "demo"));
  // The rows are made from the day: those of another day are another set, also where their crawl days are the same.
  const name = `demo of ${new Date(now).toISOString().slice(0, 10)}`;
  return { name, baseUrl: new URL(url), apiKey, profile: undefined, close };
}
