import { readFile } from "node:fs/promises";
import type { Context } from "../context.ts";
import { readConfig } from "./config-file.ts";
import { withoutLineEnd } from "./key-command.ts";

/** The keys of the environment, of the key file and of all profiles. What cannot be read has none. */
export async function knownKeys(context: Pick<Context, "env" | "folders">): Promise<string[]> {
  const { CATALOG_API_KEY: key, CATALOG_API_KEY_FILE: file } = context.env;
  const [fromFile, config] = await Promise.all([
    file ? readFile(file, "utf8").catch(() => "") : "",
    readConfig(context).catch(() => undefined),
  ]);
  const profiles = [...(config?.profiles.values() ?? [])].map((profile) => profile.api_key);
  return [key, withoutLineEnd(fromFile), ...profiles].flatMap((secret) => secret || []);
}
