import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import type { ProductGroup, QuestionOptions } from "../../cli/question/declaration.ts";
import { parseQuestion, type QuestionFlags } from "../../cli/question/question-flags.ts";
import { MOVER_COLUMNS } from "./columns.ts";

export const MOVER_KINDS = ["drop", "rise", "new_low", "discount"] as const;
export type MoverKind = (typeof MOVER_KINDS)[number];

export interface MoversOptions extends QuestionOptions {
  kinds: readonly MoverKind[];
  groupBy: ProductGroup | undefined;
}

export interface MoversFlags extends QuestionFlags {
  since?: string;
  only?: MoverKind[];
  groupBy?: ProductGroup;
}

export function parseMoversOptions(
  command: Command,
  folder: string | undefined,
  flags: MoversFlags,
  context: Context,
): MoversOptions {
  return {
    ...parseQuestion(command, folder, flags, context, { columns: MOVER_COLUMNS, maxAge: 14 }),
    since: flags.since,
    // In this order, and each once.
    kinds: MOVER_KINDS.filter((kind) => flags.only?.includes(kind) ?? true),
    groupBy: flags.groupBy,
  };
}
