import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FilterName, parseRcd } from "../contract/filters.ts";
import { replacePrivateFile } from "../files/replace-file.ts";
import type { Environment } from "./environment.ts";

/** The slugs that a service last reported, for completion. */
export interface Vocabulary {
  /** Combinations as `retailer:category:department`. */
  rcds: readonly string[];
  /** Slugs from error responses, without their combinations. */
  slugs: Readonly<Partial<Record<FilterName, readonly string[]>>>;
}

const NOTHING: Vocabulary = { rcds: [], slugs: {} };

/** Larger vocabularies are not useful for completion. */
const MOST = 20_000;

/** Identifies a vocabulary. Teams see different parts of the same service. */
export interface VocabularyOwner {
  /** Base URL, or `demo`. */
  service: string;
  profile: string | undefined;
}

/** The stored vocabulary; empty if there is none or it cannot be read. */
export async function readVocabulary(
  owner: VocabularyOwner,
  context: Pick<Environment, "folders">,
): Promise<Vocabulary> {
  const path = vocabularyPath(owner, context);
  try {
    return path === undefined ? NOTHING : vocabularyFrom(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return NOTHING;
  }
}

/**
 * Stores a vocabulary: `seen` alone if it is `complete`, else together with the stored one. A write error does not
 * affect the command.
 */
export async function rememberVocabulary(
  owner: VocabularyOwner,
  seen: Partial<Vocabulary>,
  { complete }: { complete: boolean },
  context: Pick<Environment, "folders" | "pid">,
): Promise<void> {
  const path = vocabularyPath(owner, context);
  if (path === undefined) {
    return;
  }
  const known = complete ? NOTHING : await readVocabulary(owner, context);
  const slugs = { ...known.slugs };
  for (const [name, values] of Object.entries(seen.slugs ?? {}) as [FilterName, readonly string[]][]) {
    slugs[name] = union(slugs[name] ?? [], values);
  }
  const vocabulary: Vocabulary = { rcds: union(known.rcds, seen.rcds ?? []), slugs };
  await replacePrivateFile(path, JSON.stringify(vocabulary), context.pid).catch(() => undefined);
}

/** Undefined if there is no cache. */
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

function union(known: readonly string[], seen: readonly string[]): string[] {
  return [...new Set([...seen, ...known])].slice(0, MOST).sort();
}

/** Reads a vocabulary from a file with any content. */
function vocabularyFrom(document: unknown): Vocabulary {
  const { rcds, slugs } = document as Partial<Record<keyof Vocabulary, unknown>>;
  const named = Object.entries((slugs ?? {}) as object).map(([name, values]) => [name, strings(values)]);
  return { rcds: strings(rcds).filter((rcd) => parseRcd(rcd) !== undefined), slugs: Object.fromEntries(named) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
