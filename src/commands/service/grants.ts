import { quoted } from "../../cli/flags/values.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { closest } from "../../contract/closest.ts";
import type { EmbeddedStore } from "../../service/store/embedded.ts";

/** Warns about granted retailers without rows in the database: a mistyped retailer leaves its team with an empty API. */
export async function warnOfUnknownRetailers(
  store: EmbeddedStore,
  granted: readonly string[] | undefined,
  reporter: Pick<Reporter, "warn">,
): Promise<void> {
  const rows = await store.read((session) => session.query("SELECT DISTINCT retailer FROM combination"));
  const known = rows.map(([retailer]) => String(retailer));
  for (const retailer of granted ?? []) {
    if (!known.includes(retailer)) {
      const [near] = closest(retailer, known, 1);
      const meant = near === undefined ? "." : `; did you mean ${near}?`;
      reporter.warn(`the database has no rows of the retailer ${quoted(retailer)} yet${meant}`);
    }
  }
}
