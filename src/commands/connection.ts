import { type CatalogClient, createClient } from "../api/client.ts";
import { resolveService } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { VERSION } from "../version.ts";
import type { GlobalOptions } from "./global-flags.ts";
import { createReporter, type Reporter } from "./reporter.ts";

/** A client of the service that a command talks to. */
export interface Connection {
  client: CatalogClient;
  baseUrl: URL;
  reporter: Reporter;
}

interface ConnectionOptions {
  globals: GlobalOptions;
  demo: boolean;
  maxRate?: number | undefined;
}

/**
 * Connects to the configured service or, where the command line asks for it, to a demo service of its own; closes
 * both when `use` has settled.
 */
export async function withConnection<T>(
  { globals, demo, maxRate }: ConnectionOptions,
  context: Context,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const service = demo ? await startDemo(context) : undefined;
  try {
    const { baseUrl, apiKey } = service ?? (await configured(globals, context));
    const reporter = createReporter(globals, context);
    const client = createClient({
      baseUrl,
      apiKey,
      userAgent: `retail-catalog-cli/${VERSION}`,
      requestTimeout: globals.timeout,
      totalTimeout: globals.maxTime,
      retries: globals.retries,
      maxRate,
      signal: context.signal,
      now: context.now,
      sleep: context.sleep,
      random: context.random,
      env: service === undefined ? context.env : {},
      onEvent: reporter.onEvent,
    });
    try {
      return await use({ client, baseUrl, reporter });
    } finally {
      reporter.stop();
      await client.close();
    }
  } finally {
    await service?.close();
  }
}

async function configured(globals: GlobalOptions, context: Context): Promise<{ baseUrl: URL; apiKey: string }> {
  const { baseUrl, credential } = await resolveService(globals, context);
  return { baseUrl, apiKey: credential.apiKey };
}

async function startDemo(context: Context): Promise<{ baseUrl: URL; apiKey: string; close: () => Promise<void> }> {
  const { startDemoService } = await import("../service/demo.ts");
  const { url, apiKey, close } = await startDemoService(context.now());
  return { baseUrl: new URL(url), apiKey, close };
}
