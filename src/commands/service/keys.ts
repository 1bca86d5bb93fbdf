import type { GlobalOptions } from "../../cli/flags/global.ts";
import { quoted } from "../../cli/flags/values.ts";
import { notShown } from "../../cli/hidden-columns.ts";
import { createReporter } from "../../cli/reporter.ts";
import { isColoured, widthOf } from "../../cli/terminal.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { textCell } from "../../output/terminal/cell.ts";
import { renderTable } from "../../output/terminal/table.ts";
import { createKey, listKeys, revokeKey } from "../../service/store/keys.ts";
import { withDatabase } from "./database-flag.ts";
import type { KeyFlags } from "./options.ts";

type Flags = KeyFlags & { database: string };

export async function createKeyCommand(
  name: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  if (name.trim() === "") {
    throw new UsageError("the name of a key must not be empty.");
  }
  const { team, scope, retailer } = flags;
  const key = {
    name,
    ...(team === undefined ? {} : { team }),
    ...(scope === undefined ? {} : { scopes: scope }),
    ...(retailer === undefined ? {} : { retailers: retailer }),
  };
  const secret = await withDatabase(flags.database, (store) => createKey(store, key, new Date(context.now())));
  context.stdout.write(`${secret}\n`);
  createReporter(globals, context).note("This is the only time the secret is shown; it goes into CATALOG_API_KEY.");
}

export async function listKeysCommand(flags: Flags, globals: GlobalOptions, context: Context): Promise<void> {
  const keys = await withDatabase(flags.database, listKeys);
  if (flags.format === "json") {
    const documents = keys.map(({ createdAt, revokedAt, ...key }) => ({
      ...key,
      created_at: createdAt,
      revoked_at: revokedAt,
    }));
    context.stdout.write(`${JSON.stringify(documents, undefined, 2)}\n`);
    return;
  }
  const { text, hidden } = renderTable(
    {
      columns: ["name", "team", "scopes", "retailers", "created", "state"].map((heading) => ({ heading })),
      rows: keys.map((key) => [
        textCell(key.name),
        textCell(key.team),
        textCell(key.scopes.join(", ")),
        textCell(key.retailers === null ? "all" : key.retailers.join(", ")),
        textCell(key.createdAt.slice(0, 10)),
        textCell(key.revokedAt === null ? "active" : `revoked ${key.revokedAt.slice(0, 10)}`),
      ]),
    },
    { width: widthOf(context.stdout), colour: isColoured(context.stdout, globals.color, context.env) },
  );
  context.stdout.write(text);
  notShown(hidden, "-f json has them all").forEach(createReporter(globals, context).note);
}

export async function revokeKeyCommand(
  name: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  await withDatabase(flags.database, (store) => revokeKey(store, name, new Date(context.now())));
  createReporter(globals, context).note(`Key ${quoted(name)} is revoked.`);
}
