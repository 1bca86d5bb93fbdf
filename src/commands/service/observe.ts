import type { Context } from "../../context.ts";
import { visible } from "../../output/terminal/visible.ts";
import type { SentResponse } from "../../service/http/service-options.ts";

export interface ObserveOptions {
  /** Whether each response is a line on stderr. */
  log: "json" | undefined;
  /** Port of the metrics, 0 for a free one; undefined for no metrics. */
  metricsPort: number | undefined;
}

/** What the operator of a service sees of it: unexpected errors, and by `options` a line for each response and metrics. */
export async function observeService(
  { log, metricsPort }: ObserveOptions,
  host: string,
  { stderr, now }: Pick<Context, "stderr" | "now">,
) {
  const metrics =
    metricsPort === undefined
      ? undefined
      : await (await import("../../service/http/start-metrics.ts")).startMetrics(host, metricsPort);
  const writeLine = (entry: object): void =>
    void stderr.write(`${JSON.stringify({ time: new Date(now()).toISOString(), ...entry })}\n`);
  return {
    /** Undefined without metrics. */
    metricsUrl: metrics?.url,
    onUnexpectedError: (error: unknown, request: string): void => {
      const text = (error as Error).stack ?? String(error);
      if (log === "json") {
        writeLine({ request, error: text });
      } else {
        stderr.write(`${visible(`${request}: ${text}`)}\n`);
      }
    },
    onResponse: (response: SentResponse): void => {
      metrics?.observe(response);
      if (log === "json") {
        const { duration, ...rest } = response;
        writeLine({ ...rest, duration_ms: Math.round(duration * 1_000) / 1_000 });
      }
    },
    close: (): void => metrics?.close(),
  };
}
