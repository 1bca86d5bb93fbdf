import { keyFlaw } from "../../api/key.ts";
import { fetchPortalAddress } from "../../api/portal-address.ts";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import { createReporter } from "../../cli/reporter.ts";
import { clientSettings } from "../../cli/source/connection.ts";
import { runKeyCommand } from "../../config/credentials.ts";
import type { Profile } from "../../config/file.ts";
import { profileToWrite, writeProfile } from "../../config/profile-writer.ts";
import { resolveBaseUrl } from "../../config/settings.ts";
import type { Context } from "../../context.ts";
import { CredentialsError } from "../../errors.ts";
import { visible } from "../../output/terminal/visible.ts";
import { checkKey, type KeyFacts } from "./key-check.ts";
import { readKey } from "./prompt.ts";

export interface LoginOptions {
  globals: GlobalOptions;
  /** A command to store instead of a key. */
  apiKeyCommand: string | undefined;
  check: boolean;
}

/** Stores the address and a key, or the command that prints it, after checking both. */
export async function login({ globals, apiKeyCommand, check }: LoginOptions, context: Context): Promise<void> {
  const { name, values } = await profileToWrite(globals.profile, context);
  const baseUrl = resolveBaseUrl(globals.baseUrl, context, values);
  const apiKey =
    apiKeyCommand === undefined
      ? await readKey(context, await questionFor(baseUrl, globals, context))
      : await runKeyCommand(apiKeyCommand, name, context);
  const flaw = keyFlaw(apiKey);
  if (flaw !== undefined) {
    throw new CredentialsError(`the key cannot be right: ${flaw}. Nothing was stored.`);
  }
  const facts = check ? await checkKey({ baseUrl, apiKey, globals }, context) : undefined;
  const secret = apiKeyCommand === undefined ? { api_key: apiKey } : { api_key_command: apiKeyCommand };
  const written = await writeProfile(context, name, (profile) => ({
    ...withoutKey(profile),
    base_url: baseUrl.href,
    ...secret,
  }));
  const { note, warn } = createReporter(globals, context);
  if (written.mended) {
    warn(`${written.path} could be read by other users of this machine; now it cannot.`);
  }
  if (written.commentsLost) {
    warn(`the comments in ${written.path} could not be kept.`);
  }
  for (const variable of ["CATALOG_API_KEY", "CATALOG_API_KEY_FILE"]) {
    if (context.env[variable]) {
      warn(`${variable} is set and goes before the key that was stored.`);
    }
  }
  note(
    `Stored in profile ${name} of ${written.path} for ${baseUrl.href}${facts === undefined ? ", unchecked" : scopesOf(facts)}. This key is only sent to ${baseUrl.origin}.`,
  );
}

/** For interactive use only: tells where to create a key, if the service says so. */
async function questionFor(baseUrl: URL, globals: GlobalOptions, context: Context): Promise<string> {
  const portal = context.stdin.isTTY ? await fetchPortalAddress(baseUrl, clientSettings(globals, context)) : undefined;
  return portal === undefined
    ? `API key for ${baseUrl.host}: `
    : `Keys are made at ${visible(portal)}\nAPI key made there: `;
}

export function withoutKey({ api_key: _key, api_key_command: _command, ...rest }: Profile): Profile {
  return rest;
}

function scopesOf({ scopes }: KeyFacts): string {
  const allowed = Object.entries(scopes).flatMap(([scope, allows]) => (allows ? scope : []));
  return allowed.length === 0
    ? "; the service knows the key, but it has no scope yet"
    : `; its scopes: ${allowed.join(", ")}`;
}
