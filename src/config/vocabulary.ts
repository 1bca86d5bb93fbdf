import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { type FilterName, parseRcd } from "../contract/filters.ts";
import { replacePrivateFile } from "../files/replace-file.ts";

/** The slugs of a service as they were last seen, for completion. */
export interface Vocabulary {
  /** Combinations as `retailer:category:department`. */
  rcds: readonly string[];
  /** Slugs of which only the name is known, from errors that listed them. */
  slugs: Readonly<Partial<Record<FilterName, readonly string[]>>>;
}

const NOTHING: Vocabulary = { rcds: [], slugs: {} };

/** A vocabulary beyond this is not completed by hand. */
const MOST = 20_000;

/** Which vocabulary: teams see different parts of the same service. */
export interface VocabularyOwner {
  /** Base URL, or `demo`. */
  service: string;
  profile: string | undefined;
}

/** What was last seen; nothing if nothing was, or if it cannot be read. */
export async function readVocabulary(owner: VocabularyOwner, context: Pick<Context, "folders">): Promise<Vocabulary> {
  try {
    return checked(JSON.parse(await readFile(pathOf(owner, context), "utf8")));
  } catch {
    return NOTHING;
  }
}

/**
 * Keeps what was seen: `seen` itself if it is `complete`, else together with what was known. A failure to write is
 * none of the command's that saw it.
 */
export async function rememberVocabulary(
  owner: VocabularyOwner,
  seen: Partial<Vocabulary>,
  { complete }: { complete: boolean },
  context: Pick<Context, "folders" | "pid">,
): Promise<void> {
  const known = complete ? NOTHING : await readVocabulary(owner, context);
  const slugs = { ...known.slugs };
  for (const [name, values] of Object.entries(seen.slugs ?? {}) as [FilterName, readonly string[]][]) {
    slugs[name] = union(slugs[name] ?? [], values);
  }
  const vocabulary: Vocabulary = { rcds: union(known.rcds, seen.rcds ?? []), slugs };
  await replacePrivateFile(pathOf(owner, context), JSON.stringify(vocabulary), context.pid).catch(() => undefined);
}

function pathOf({ service, profile = "" }: VocabularyOwner, { folders }: Pick<Context, "folders">): string {
  const name = createHash("sha256")
    .update(JSON.stringify([service, profile]))
    .digest("hex")
    .slice(0, 32);
  return join(folders.cache, "vocabulary", `${name}.json`);
}

function union(known: readonly string[], seen: readonly string[]): string[] {
  return [...new Set([...seen, ...known])].slice(0, MOST).sort();
}

/** Takes a file of whatever content to a vocabulary. */
function checked(document: unknown): Vocabulary {
  const { rcds, slugs } = document as Partial<Record<keyof Vocabulary, unknown>>;
  const named = Object.entries((slugs ?? {}) as object).map(([name, values]) => [name, strings(values)]);
  return { rcds: strings(rcds).filter((rcd) => parseRcd(rcd) !== undefined), slugs: Object.fromEntries(named) };
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
