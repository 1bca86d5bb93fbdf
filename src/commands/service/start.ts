import { once } from "node:events";
import { parseDuration, parseWhole } from "../../cli/flags/values.ts";
import { FileError, InterruptedError, UsageError } from "../../errors.ts";
import { visible } from "../../output/terminal/visible.ts";
import type { ServiceOptions } from "../../service/http/service-options.ts";
import { startService } from "../../service/http/start-service.ts";
import { listKeys } from "../../service/store/access/manage-keys.ts";
import { openStore } from "../../service/store/embedded.ts";
import { makeDatabaseFolder, reportingStoreErrors } from "./database.ts";
import { type PortalFlags, parsePortalFlags } from "./portal-flags.ts";
import type { Call } from "./subcommand.ts";

export interface StartFlags extends PortalFlags {
  host?: string;
  port?: string;
  rateLimit?: string;
  sampleRateLimit?: string;
  window?: string;
  cursorTtl?: string;
  queryTimeout?: string;
  errorBase?: string;
}

/** Serves until SIGTERM or Ctrl-C, then lets the running requests end. SIGTERM is the ordinary end, not an error. */
export async function startCommand({ flags, reporter, context }: Call<StartFlags>): Promise<void> {
  const { database } = flags;
  const options = parseStart(flags);
  const portal = parsePortalFlags(flags, options.host, context);
  let url = portal.options.publicUrl ?? "";
  const onUnexpectedError = (error: unknown, requestId: string) =>
    void context.stderr.write(`${visible(`${requestId}: ${(error as Error).stack ?? String(error)}`)}\n`);
  const { service, hasKeys } = await reportingStoreErrors(database, async () => {
    await makeDatabaseFolder(database);
    const store = await openStore(database);
    const hasKeys = (await listKeys(store)).some(({ revokedAt }) => revokedAt === null);
    const service = await startService({
      ...options,
      ...portal.options,
      ...(portal.signIn !== undefined && { portal: portal.signIn(() => url) }),
      store,
      onUnexpectedError,
    }).catch((error: unknown) => {
      throw listenError(error, options);
    });
    return { service, hasKeys };
  });
  await context.print(`listening on ${service.url}\n`);
  url ||= service.url;
  portal.warnings.forEach(reporter.warn);
  if (!hasKeys) {
    reporter.note("There is no valid key yet. `catalog service keys create NAME` creates one.");
  }
  if (!context.signal.aborted) {
    await once(context.signal, "abort");
  }
  await service.close();
  const { reason } = context.signal;
  if (!(reason instanceof InterruptedError && reason.signal === "SIGTERM")) {
    throw reason;
  }
}

function parseStart(flags: StartFlags): ServiceOptions & { host: string; port: number } {
  const whole = (value: string | undefined, flag: string) =>
    value === undefined ? undefined : parseWhole(value, flag, 1);
  const duration = (value: string | undefined, flag: string) =>
    value === undefined ? undefined : parseDuration(value, flag);
  const limits = {
    rateLimit: whole(flags.rateLimit, "--rate-limit"),
    sampleRateLimit: whole(flags.sampleRateLimit, "--sample-rate-limit"),
    windowSeconds: whole(flags.window, "--window"),
    cursorTtl: duration(flags.cursorTtl, "--cursor-ttl"),
    queryTimeout: duration(flags.queryTimeout, "--query-timeout"),
    errorBase: flags.errorBase?.replace(/\/+$/, ""),
  };
  return {
    host: flags.host ?? "127.0.0.1",
    port: parseWhole(flags.port ?? "8787", "--port", 0, 65_535),
    ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  };
}

function listenError(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case "EADDRINUSE":
      return new UsageError(`port ${port} is already in use; choose another with --port, or 0 for a free one.`, {
        flag: "--port",
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
