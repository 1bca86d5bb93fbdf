import type { Condition } from "../../cli/flags/condition.ts";
import type { ListFormat, OutputOptions } from "../../cli/flags/output.ts";
import type { FolderOptions } from "../../cli/source/synced-folder.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import type { MoverKind } from "../../prices/movers.ts";

export const GROUPS = ["retailer", "department", "category"] as const;

/** Fields of a mover that `--fail-if` may use. */
export const MOVER_FIELDS = ["percent", "selling_price", "before_selling_price", "mrp", "discount_pct"] as const;
type MoverField = (typeof MOVER_FIELDS)[number];

export interface MoversOptions extends FolderOptions {
  since: DateExpression;
  kinds: readonly MoverKind[];
  groupBy: (typeof GROUPS)[number] | undefined;
  /** Most movers of each kind, and of each group if there are groups. */
  limit: number;
  failIf: Condition<MoverField> | undefined;
  output: OutputOptions<ListFormat>;
}
