import { once } from "node:events";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import { parseDuration, parseWhole } from "../../cli/flags/values.ts";
import { createReporter } from "../../cli/reporter.ts";
import type { Context } from "../../context.ts";
import { FileError, InterruptedError, UsageError } from "../../errors.ts";
import { visible } from "../../output/terminal/visible.ts";
import type { ServiceOptions } from "../../service/http/service-options.ts";
import { startService } from "../../service/http/start-service.ts";
import { listKeys } from "../../service/store/access/manage-keys.ts";
import { openStore } from "../../service/store/embedded.ts";
import { makeDatabaseFolder, reportingStoreErrors } from "./database-flag.ts";
import type { StartFlags } from "./options.ts";
import { parsePortalFlags } from "./portal-flags.ts";

/**
 * Serves until the signal is aborted, then drains. SIGTERM is the ordinary end of a service.
 */
export async function startCommand(
  flags: StartFlags & { database: string },
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  const options = parseStart(flags);
  const portalFlags = parsePortalFlags(flags, options.host, context);
  let url = portalFlags.options.publicUrl ?? "";
  const portal = portalFlags.portal?.(() => url);
  const { service, hasKeys } = await reportingStoreErrors(flags.database, async () => {
    await makeDatabaseFolder(flags.database);
    const onUnexpectedError = (error: unknown, requestId: string) =>
      void context.stderr.write(`${visible(`${requestId}: ${(error as Error).stack ?? String(error)}`)}\n`);
    const store = await openStore(flags.database);
    const hasKeys = (await listKeys(store)).some(({ revokedAt }) => revokedAt === null);
    const service = await startService({
      ...options,
      ...portalFlags.options,
      ...(portal === undefined ? {} : { portal }),
      store,
      onUnexpectedError,
    }).catch((error: unknown) => {
      throw listenError(error, options);
    });
    return { service, hasKeys };
  });
  await context.print(`listening on ${service.url}\n`);
  url ||= service.url;
  const { note, warn } = createReporter(globals, context);
  for (const warning of [portalFlags.refusal, portalFlags.warning]) {
    if (warning !== undefined) {
      warn(warning);
    }
  }
  if (!hasKeys) {
    note("No key is valid yet: create one with `catalog service keys create NAME`.");
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
      return new UsageError(`port ${port} is in use already; choose another with --port, or 0 for a free one.`, {
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
      return new FileError(
        `port ${port} may not be opened by this user; ports from 1024 up may`,
        `port ${port}`,
        error,
      );
    default:
      return error;
  }
}
