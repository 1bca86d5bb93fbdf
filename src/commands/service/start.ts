import { once } from "node:events";
import { FileError, InterruptedError, UsageError } from "../../errors.ts";
import type { ServiceOptions } from "../../service/http/service-options.ts";
import { startService } from "../../service/http/start-service.ts";
import { listKeys } from "../../service/store/access/manage-keys.ts";
import { openStore } from "../../service/store/embedded.ts";
import { makeDatabaseFolder, reportingStoreErrors } from "./database.ts";
import { type ObserveFlags, observe } from "./observe.ts";
import { type PortalFlags, parsePortalFlags } from "./portal-flags.ts";
import type { ServiceCall } from "./subcommand.ts";

export interface StartFlags
  extends PortalFlags,
    ObserveFlags,
    Pick<ServiceOptions, "cursorTtl" | "queryTimeout" | "errorBase"> {
  host?: string;
  port: number;
  rateLimit: number;
  sampleRateLimit: number;
  /** In seconds. */
  window: number;
}

/** Serves until SIGTERM or Ctrl-C, then lets the running requests end. SIGTERM is the ordinary end, not an error. */
export async function startCommand({ flags, databaseFlag, reporter, context }: ServiceCall<StartFlags>): Promise<void> {
  const { database, host = "127.0.0.1", port, rateLimit, sampleRateLimit, cursorTtl, queryTimeout, errorBase } = flags;
  const portal = parsePortalFlags(flags, host, context);
  let url = portal.options.publicUrl ?? "";
  const observer = await observe(flags, host, context).catch((error: unknown) => {
    throw listenError(error, host, flags.metricsPort ?? 0, "--metrics-port");
  });
  const { service, hasKeys } = await reportingStoreErrors(database, async () => {
    await makeDatabaseFolder(database);
    const store = await openStore(database);
    const hasKeys = (await listKeys(store)).some(({ revokedAt }) => revokedAt === null);
    const service = await startService({
      host,
      port,
      rateLimit,
      sampleRateLimit,
      windowSeconds: flags.window,
      ...(cursorTtl !== undefined && { cursorTtl }),
      ...(queryTimeout !== undefined && { queryTimeout }),
      ...(errorBase !== undefined && { errorBase }),
      ...portal.options,
      ...(portal.signIn !== undefined && { portal: portal.signIn(() => url) }),
      store,
      onUnexpectedError: observer.onUnexpectedError,
      onResponse: observer.onResponse,
    }).catch((error: unknown) => {
      throw listenError(error, host, port, "--port");
    });
    return { service, hasKeys };
  }).catch((error: unknown) => {
    observer.close();
    throw error;
  });
  try {
    const metrics = observer.metricsUrl === undefined ? "" : `metrics on ${observer.metricsUrl}\n`;
    await context.print(`listening on ${service.url}\n${metrics}`);
    url ||= service.url;
    portal.warnings.forEach(reporter.warn);
    if (!hasKeys) {
      reporter.note(`There is no valid key yet. \`catalog service keys create NAME${databaseFlag}\` creates one.`);
    }
    if (!context.signal.aborted) {
      await once(context.signal, "abort");
    }
  } finally {
    await service.close();
    observer.close();
  }
  const { reason } = context.signal;
  if (!(reason instanceof InterruptedError && reason.signal === "SIGTERM")) {
    throw reason;
  }
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
      return new UsageError(`${JSON.stringify(host)} is not an address of this machine.`, {
        flag: "--host",
        value: host,
      });
    case "EACCES":
      return new FileError(`this user may not open port ${port}; use 1024 or higher`, `port ${port}`, error);
    default:
      return error;
  }
}
