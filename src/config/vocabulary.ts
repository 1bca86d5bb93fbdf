import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseRcd } from "../contract/filters.ts";
import { replacePrivateFile } from "../files/replace-file.ts";
import type { Environment } from "./environment.ts";

/** Larger vocabularies are of no use for completion. */
const MAX_COMBINATIONS = 20_000;

/** Whose vocabulary it is: teams see different parts of the same service. */
export interface VocabularyOwner {
  /** Base URL, or `demo`. */
  service: string;
  profile: string | undefined;
}

/** The combinations whose slugs completion offers, as `retailer:category:department`; empty if they cannot be read. */
export async function readVocabulary(owner: VocabularyOwner, context: Pick<Environment, "folders">): Promise<string[]> {
  const path = vocabularyPath(owner, context);
  try {
    const { rcds } = JSON.parse(path === undefined ? "{}" : await readFile(path, "utf8")) as { rcds?: unknown };
    return Array.isArray(rcds) ? rcds.filter((rcd) => typeof rcd === "string" && parseRcd(rcd) !== undefined) : [];
  } catch {
    return [];
  }
}

/**
 * Stores the combinations that a service reported, in place of the stored ones if they are `complete`, else added to them.
 * Ignores write errors.
 */
export async function rememberVocabulary(
  owner: VocabularyOwner,
  seen: readonly string[],
  { complete }: { complete: boolean },
  context: Pick<Environment, "folders" | "pid">,
): Promise<void> {
  const path = vocabularyPath(owner, context);
  if (path === undefined) {
    return;
  }
  const known = complete ? [] : await readVocabulary(owner, context);
  const rcds = [...new Set([...seen, ...known])].slice(0, MAX_COMBINATIONS).sort();
  await replacePrivateFile(path, JSON.stringify({ rcds }), context.pid).catch(() => undefined);
}

/** Undefined without a cache folder. */
function vocabularyPath(
  { service, profile = "" }: VocabularyOwner,
  { folders }: Pick<Environment, "folders">,
): string | undefined {
  const name = createHash("sha256")
    .update(JSON.stringify([service, profile]))
    .digest("hex")
    .slice(0, 32);
  return folders.cache && join(folders.cache, "vocabulary", `${name}.json`);
}
