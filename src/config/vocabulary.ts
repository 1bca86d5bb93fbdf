import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FilterName, parseRcd } from "../contract/filters.ts";
import { replacePrivateFile } from "../files/replace-file.ts";
import type { Environment } from "./environment.ts";

/** The slugs that completion offers: those that a service last reported. */
export interface Vocabulary {
  /** Combinations as `retailer:category:department`. */
  rcds: readonly string[];
  /** Slugs from error responses, which do not name their combinations. */
  slugs: Readonly<Partial<Record<FilterName, readonly string[]>>>;
}

const EMPTY: Vocabulary = { rcds: [], slugs: {} };

/** Larger vocabularies are no use for completion. */
const MAX_SLUGS = 20_000;

/** Whose vocabulary it is: teams see different parts of the same service. */
export interface VocabularyOwner {
  /** Base URL, or `demo`. */
  service: string;
  profile: string | undefined;
}

/** The stored vocabulary; empty if it cannot be read. */
export async function readVocabulary(
  owner: VocabularyOwner,
  context: Pick<Environment, "folders">,
): Promise<Vocabulary> {
  const path = vocabularyPath(owner, context);
  try {
    return path === undefined ? EMPTY : vocabularyFrom(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return EMPTY;
  }
}

/**
 * Stores what a service reported, in place of the stored vocabulary if it is `complete`, else added to it. Ignores write
 * errors.
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
  const known = complete ? EMPTY : await readVocabulary(owner, context);
  const slugs = { ...known.slugs };
  for (const [name, values] of Object.entries(seen.slugs ?? {}) as [FilterName, readonly string[]][]) {
    slugs[name] = union(slugs[name] ?? [], values);
  }
  const vocabulary: Vocabulary = { rcds: union(known.rcds, seen.rcds ?? []), slugs };
  await replacePrivateFile(path, JSON.stringify(vocabulary), context.pid).catch(() => undefined);
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

function union(known: readonly string[], seen: readonly string[]): string[] {
  return [...new Set([...seen, ...known])].slice(0, MAX_SLUGS).sort();
}

/** Tolerates any content of the file. */
function vocabularyFrom(document: unknown): Vocabulary {
  const { rcds, slugs } = document as Partial<Record<keyof Vocabulary, unknown>>;
  const named = Object.entries((slugs ?? {}) as object).map(([name, values]) => [name, strings(values)]);
  return { rcds: strings(rcds).filter((rcd) => parseRcd(rcd) !== undefined), slugs: Object.fromEntries(named) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
