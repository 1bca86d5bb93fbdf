import { once } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../../cli/context.ts";
import { type FlagsOf, flagError } from "../../cli/flags/values.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { FileError, InterruptedError, UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import { isLoopback } from "../../service/http/admission/source-address.ts";
import { createApp } from "../../service/http/app.ts";
import type { ServiceOptions } from "../../service/http/service-options.ts";
import { listKeys } from "../../service/store/access/manage-keys.ts";
import { isPostgres } from "../../service/store/database/location.ts";
import type { Store } from "../../service/store/store.ts";
import { withDatabase } from "./database.ts";
import { type PortalOptions, parsePortalFlags, signInOf } from "./portal-flags.ts";
import type { addStartFlags } from "./service-flags.ts";
import { type ServiceCall, subcommand } from "./subcommand.ts";

interface ObserveOptions {
  /** The format of a log line on stderr for each response; undefined for none. */
  log: "json" | undefined;
  /** The port of the metrics, 0 for a free one; undefined for no metrics. */
  metricsPort: number | undefined;
}

/** Milliseconds. Balancers ask for `/readyz` every second or more often. */
const DRAIN_DELAY = 2_000;

interface StartOptions extends ObserveOptions, Pick<PortalOptions, "mail"> {
  service: ServiceOptions & { host: string; port: number };
  replica: string | undefined;
}

function parseStart(flags: FlagsOf<typeof addStartFlags>, _: [], { env }: Context): StartOptions {
  const { replica } = flags;
  if (replica !== undefined && !(isPostgres(replica) && URL.canParse(replica))) {
    throw flagError("--replica", "is not the URL of a PostgreSQL server; write postgres://user@host:5432/name.");
  }
  const { port, log, metricsPort } = flags;
  if (flags.host === "") {
    throw flagError("--host", "is empty, which would listen on all addresses; for that, write 0.0.0.0.");
  }
  // For localhost, Node.js would listen on the first of its addresses alone, often ::1, and clients of the other find nobody.
  const host = (flags.host ?? "localhost").replace(/^localhost$/i, "127.0.0.1").replace(/^\[(.+)\]$/, "$1");
  const { drainDelay = isLoopback(host) ? 0 : DRAIN_DELAY } = flags;
  const { rateLimit, sampleRateLimit, window: windowSeconds, cursorTtl, queryTimeout } = flags;
  const limits = { rateLimit, sampleRateLimit, windowSeconds, cursorTtl, queryTimeout };
  const { mail, ...address } = parsePortalFlags(flags, host, env);
  return { service: { host, port, drainDelay, ...limits, ...address }, mail, replica, log, metricsPort };
}

export const startCommand = subcommand({ parse: parseStart, run: serve });

/** Serves until SIGTERM or Ctrl-C, then finishes the running requests. SIGTERM is the normal way to stop, not an error. */
async function serve({ options, reporter, context, signal }: ServiceCall<StartOptions>): Promise<void> {
  const { database, replica, databaseFlag, mail, metricsPort = 0 } = options;
  if (replica !== undefined && !isPostgres(database)) {
    throw flagError("--replica", "is the standby of a PostgreSQL database: name that one with --database.");
  }
  const { host, port, publicUrl } = options.service;
  const { portal, warnings } = signInOf({ host, publicUrl, mail }, context.printError);
  const observer = await observeService(options, host, context, reporter).catch((error: unknown) => {
    throw listenError(error, host, metricsPort, "--metrics-port");
  });
  try {
    const run = async (store: Store) => {
      const hasKeys = (await listKeys(store)).some(({ revoked_at }) => revoked_at === null);
      await using app = createApp(store, {
        ...options.service,
        portal,
        onUnexpectedError: observer.onUnexpectedError,
      });
      app.addHook("onResponse", observer.onResponse);
      await app.listen({ host, port }).catch((error: unknown) => {
        throw listenError(error, host, port, "--port");
      });
      const metrics = observer.metricsUrl === undefined ? "" : `metrics on ${observer.metricsUrl}\n`;
      await context.print(`listening on ${app.listeningOrigin}\n${metrics}`);
      warnings.forEach(observer.warn);
      if (!hasKeys) {
        reporter.note(`There is no valid key yet. \`catalog service keys create NAME${databaseFlag}\` creates one.`);
      }
      if (!signal.aborted) {
        await once(signal, "abort");
      }
    };
    // Without the signal, because the requests that are left still use the database.
    await withDatabase({ database, replica, warn: observer.warn }, run);
  } finally {
    observer.close();
  }
  const { reason } = signal;
  if (!(reason instanceof InterruptedError && reason.signal === "SIGTERM")) {
    throw reason;
  }
}

/** Reports unexpected errors and failures of the database on stderr and, on request, logs each response and serves metrics. */
async function observeService(
  { log, metricsPort }: ObserveOptions,
  host: string,
  { printError, now }: Pick<Context, "printError" | "now">,
  reporter: Pick<Reporter, "warn">,
) {
  const metrics =
    metricsPort === undefined ? undefined : await (await import("./start-metrics.ts")).startMetrics(host, metricsPort);
  const writeLine = (entry: object): void =>
    printError(`${JSON.stringify({ time: new Date(now()).toISOString(), ...entry })}\n`);
  return {
    /** Undefined without metrics. */
    metricsUrl: metrics?.url,
    warn: (warning: string): void => (log === "json" ? writeLine({ warning }) : reporter.warn(`${warning}.`)),
    onUnexpectedError: (error: unknown, request: string): void => {
      const text = (error as Error).stack ?? String(error);
      if (log === "json") {
        writeLine({ request, error: text });
      } else {
        printError(`${visible(`${request}: ${text}`)}\n`);
      }
    },
    /** Takes nothing that the client typed, so that a mistyped key does not leak: the route, not the path. */
    onResponse: async (
      { id: request, method, routeOptions, team }: FastifyRequest,
      { statusCode: status, elapsedTime }: FastifyReply,
    ): Promise<void> => {
      const route = routeOptions.url ?? null;
      metrics?.observe({ route: route ?? "none", method, status }, elapsedTime / 1_000);
      if (log === "json") {
        const duration_ms = Math.round(elapsedTime * 1_000) / 1_000;
        writeLine({ request, route, method, status, team: team ?? null, duration_ms });
      }
    },
    close: (): void => metrics?.close(),
  };
}

function listenError(error: unknown, host: string, port: number, flag: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case "EADDRINUSE":
      return new UsageError(`port ${port} is already in use; choose another with ${flag}, or 0 for a free one.`, {
        flag,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new UsageError(`${quoted(host)} is not an address of this machine.`, {
        flag: "--host",
        value: host,
      });
    case "EACCES":
      return new FileError(`this user may not open port ${port}; use 1024 or higher`, `port ${port}`, error);
    default:
      return error;
  }
}
