import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Product } from "../../contract/product.ts";
import { DAY } from "../../contract/values/day-arithmetic.ts";
import { createRowStage } from "../store/product-rows/row-stage.ts";
import { openStore, openStoreForReading, type Store } from "../store/store.ts";

/** The checksum of this many first rows tells one version of the generator from others. */
const COMPARED_ROWS = 100;
/** Milliseconds after which a file is removed. Until then, another command may still read it. */
const KEPT_TIME = 2 * DAY;

/**
 * The generated rows of a day, in a database that nobody else writes to. They are generated once and kept in `folder`, if that can
 * be written. The file name contains a checksum, which reveals damage. A file gets its name only when it is complete, so that
 * several commands can run at once.
 */
export async function openCachedRows(
  today: string,
  folder: string,
  generate: (today: string) => Generator<string>,
): Promise<Store> {
  const rows = generate(today);
  const first = Array.from({ length: COMPARED_ROWS }, () => rows.next().value);
  const name = `${today}-${crc32(first.join("")).toString(16)}`;
  const kept = await findKept(folder, name);
  // Another version of the tool may have other tables.
  const opened = kept === undefined ? undefined : await openStoreForReading(kept).catch(() => undefined);
  if (opened !== undefined) {
    return opened;
  }
  const store = await openStore(":memory:");
  // Not checked: the rows of the generator conform to the contract.
  await store.changeRows(async (session) => {
    const stage = await createRowStage(session, () => undefined);
    await stage.add(
      Array.from(generate(today), (body, line) => ({ line, product: JSON.parse(body) as Product, body })),
    );
    await stage.merge();
  });
  // The next command generates the rows again.
  await keep(store, folder, name).catch(() => undefined);
  return store;
}

/** The path of the undamaged file of this name, if there is one. Removes damaged ones. */
async function findKept(folder: string, name: string): Promise<string | undefined> {
  for (const file of await readdir(folder).catch(() => [])) {
    const path = join(folder, file);
    if (!file.startsWith(`${name}-`) || !file.endsWith(".db")) {
      continue;
    }
    if (file === `${name}-${await fileSum(path).catch(() => "")}.db`) {
      return path;
    }
    await rm(path, { force: true }).catch(() => undefined);
  }
  return undefined;
}

/** Copies the database into `folder` under a temporary name, renames it, and removes old ones. */
async function keep(store: Store, folder: string, name: string): Promise<void> {
  const unfinished = join(folder, `${name}-${randomUUID()}.new`);
  try {
    await store.prepareWrite((session) => session.query("VACUUM INTO ?", [unfinished]));
    await rename(unfinished, join(folder, `${name}-${await fileSum(unfinished)}.db`));
    for (const file of (await readdir(folder)).filter((other) => /\.(db|new)$/.test(other))) {
      const path = join(folder, file);
      if (Date.now() - (await stat(path)).mtimeMs > KEPT_TIME) {
        await rm(path);
      }
    }
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function fileSum(path: string): Promise<string> {
  return crc32(await readFile(path)).toString(16);
}
