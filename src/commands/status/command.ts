import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { formatOption } from "../../cli/flags/values.ts";
import { startReporting } from "../../cli/reporter.ts";
import { textForStdout } from "../../cli/terminal/ascii.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { NotOperationalError } from "../../contract/errors.ts";
import type { StatusFeed } from "../../contract/status.ts";
import { firstFew } from "../../contract/values/phrases.ts";
import { renderStatus } from "./status-view.ts";

interface StatusOptions {
  globals: GlobalOptions;
  /** The address of the feed as typed; undefined for the configured one. */
  statusUrl: string | undefined;
  demo: boolean;
  format: "text" | "json";
}

/** The width without a terminal: one block for each day of the window. */
const WIDTH = 90;

export function declare(command: Command, context: Context, run: Run<StatusOptions> = showStatus): void {
  const declared = command
    .description(
      "Shows the status feed of the service: suites with their uptime and their state on each day, and incidents. Needs no key.",
    )
    .option(
      "--status-url <url>",
      "address of the feed (default: status_url of the profile, else BASE_URL/status.json) [env: CATALOG_STATUS_URL]",
    )
    .addOption(formatOption(["text", "json"], "text"))
    .option("--demo", "use an embedded service with generated data; needs no configuration");
  addGlobalFlags(
    declared,
    [
      "catalog status",
      "catalog status --quiet && catalog export -o rows.csv",
      "catalog status --format json | jq '.incidents[] | select(.resolved_at == null)'",
    ],
    `Exit code: 0 if every suite works and no incident is open; otherwise 5, also if the service does not respond.`,
  ).action(({ statusUrl, demo = false, format = "text" }) =>
    run({ globals: parseGlobals(command), statusUrl, demo, format }, context),
  );
}

async function showStatus(options: StatusOptions, context: Context): Promise<void> {
  const { globals, format } = options;
  const { feed, document } = await readStatus(options, context);
  if (format === "json") {
    await context.print(`${JSON.stringify(document, undefined, 2)}\n`);
  } else if (!globals.quiet) {
    const { width = WIDTH, ...looks } = screenOf(context, { globals });
    await context.print(textForStdout(renderStatus(feed, { width, ...looks }), context));
  }
  const failures = failuresIn(feed);
  if (failures.length > 0) {
    throw new NotOperationalError(`the service is not operational: ${firstFew(failures)}`);
  }
}

/** What does not work, for the error. A suite without data does not count as failing. */
function failuresIn({ state, suites, incidents }: StatusFeed): string[] {
  const failing = suites.filter((suite) => suite.state === "degraded" || suite.state === "outage");
  const open = incidents.filter((incident) => incident.resolved_at === null);
  return [
    ...(state === "operational" ? [] : [state.replace("_", " ")]),
    ...failing.map((suite) => `${suite.name}: ${suite.state}`),
    ...open.map((incident) => `open incident "${incident.title}"`),
  ];
}

async function readStatus({ globals, statusUrl, demo }: StatusOptions, context: Context) {
  using reporting = startReporting(globals, context);
  const { reporter, signal } = reporting;
  const [{ fetchStatus }, { resolveStatusUrl }, { clientSettings, startDemo }] = await Promise.all([
    import("../../client/fetch-status.ts"),
    import("../../config/settings.ts"),
    import("../../cli/source/connection.ts"),
  ]);
  const settings = { ...clientSettings(globals, { ...context, signal }), onEvent: reporter.onEvent };
  if (!demo) {
    const url = await resolveStatusUrl({ ...globals, statusUrl }, context);
    reporter.progress.update({ doing: `reading the status feed of ${url.host}` });
    return await fetchStatus(url, settings);
  }
  const service = await startDemo(context, reporter);
  try {
    return await fetchStatus(new URL("/status.json", service.baseUrl), { ...settings, env: {} });
  } finally {
    await service.close();
  }
}
