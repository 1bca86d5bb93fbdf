import type { Context } from "../../cli/context.ts";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import { createReporter, startReporting } from "../../cli/reporter.ts";
import { clientSettings } from "../../cli/source/connection.ts";
import { keyFlaw } from "../../client/key.ts";
import { fetchPortalAddress } from "../../client/portal-address.ts";
import { type Profile, requestedProfile } from "../../config/config-file.ts";
import { runKeyCommand } from "../../config/key-command.ts";
import { profileToWrite, writeProfile } from "../../config/profile-writer.ts";
import { findBaseUrl, findProfile, originOf, parseBaseUrl } from "../../config/settings.ts";
import { dangerOf } from "../../config/trusted-path.ts";
import { CredentialsError, UsageError } from "../../contract/errors.ts";
import { visible } from "../../contract/values/visible.ts";
import { checkKey } from "./key-status.ts";
import { type Ask, promptOf, readKeyFromPipe } from "./prompt.ts";

export interface LoginOptions {
  globals: GlobalOptions;
  apiKeyCommand: string | undefined;
  check: boolean;
}

/** Stores the address and the key, or the command that prints it, after checking them. */
export async function login({ globals, apiKeyCommand, check }: LoginOptions, outer: Context): Promise<void> {
  using reporting = startReporting(globals, outer);
  const { reporter, signal } = reporting;
  const context = { ...outer, signal };
  const { name, values } = await profileToWrite(globals.profile, context);
  const ask = promptOf(context);
  const baseUrl = findBaseUrl(globals.baseUrl, context, values) ?? (await askForAddress(ask));
  const apiKey = (
    apiKeyCommand !== undefined
      ? await runKeyCommand(apiKeyCommand, name, context)
      : ask === undefined
        ? await readKeyFromPipe(context)
        : await ask("key", await questionFor(baseUrl, globals, context))
  ).trim();
  context.protect(apiKey);
  const flaw = keyFlaw(apiKey);
  if (flaw !== undefined) {
    const what = apiKeyCommand === undefined ? "this" : "what the command printed";
    throw new CredentialsError(`${what} is not a valid key: ${flaw}. Nothing was stored.`);
  }
  const facts = check
    ? await checkKey({ baseUrl, apiKey, keySource: undefined, globals }, reporter, context)
    : undefined;
  const secret = apiKeyCommand === undefined ? { api_key: apiKey } : { api_key_command: apiKeyCommand };
  let otherStatus: string | undefined;
  const written = await writeProfile(context, name, (profile) => {
    const { base_url: earlier, status_url, ...rest } = withoutKey(profile);
    const isOther = earlier !== undefined && originOf(earlier) !== baseUrl.origin;
    otherStatus = isOther ? status_url : undefined;
    const status = status_url === undefined || isOther ? {} : { status_url };
    return { ...rest, ...status, base_url: baseUrl.href, ...secret };
  });
  const { note, warn } = reporter;
  if (otherStatus !== undefined) {
    warn(`removed the status_url ${otherStatus} from profile ${name}, because it was of another service.`);
  }
  if (written.madePrivate) {
    warn(`${written.path} could be read by other users of this machine; now only you can read it.`);
  }
  if (written.commentsLost) {
    warn(`the comments in ${written.path} could not be kept.`);
  }
  const danger = apiKeyCommand === undefined ? undefined : await dangerOf(written.path, context.userId);
  if (danger !== undefined) {
    warn(`the stored command will not be run: ${danger}`);
  }
  for (const variable of keyVariables(context)) {
    warn(`${variable} is set and is used instead of the stored key.`);
  }
  const scopes = Object.entries(facts?.scopes ?? {}).flatMap(([scope, allows]) => (allows ? scope : []));
  const known =
    scopes.length === 0 ? "the service knows the key, but it has no scopes yet" : `its scopes: ${scopes.join(", ")}`;
  const checked = facts === undefined ? ", not checked" : `; ${known}`;
  const { path } = written;
  note(
    `Stored in profile ${name} of ${path} for ${baseUrl.href}${checked}. This key is only sent to ${baseUrl.origin}.`,
  );
}

/** Removes the key of a profile; its address stays. */
export async function logout({ globals }: Pick<LoginOptions, "globals">, context: Context): Promise<void> {
  const { note, warn } = createReporter(globals, context);
  if (requestedProfile(globals.profile, context) !== undefined) {
    // Refuses a name that no profile has.
    await findProfile(globals.profile, context);
  }
  const { name, values } = await profileToWrite(globals.profile, context);
  if (values.api_key === undefined && values.api_key_command === undefined) {
    note(`There is no key in profile ${name}.`);
  } else {
    const { path, commentsLost } = await writeProfile(context, name, withoutKey);
    if (commentsLost) {
      warn(`the comments in ${path} could not be kept.`);
    }
    const removed = values.api_key === undefined ? "the command that prints the key" : "the key";
    note(
      `Removed ${removed} from profile ${name} of ${path}. The key stays valid until it is revoked in the developer portal.`,
    );
  }
  for (const variable of keyVariables(context)) {
    warn(`${variable} is set, so its key is still used.`);
  }
}

function keyVariables({ env }: Context): string[] {
  return ["CATALOG_API_KEY", "CATALOG_API_KEY_FILE"].filter((variable) => env[variable]);
}

async function askForAddress(ask: Ask | undefined): Promise<URL> {
  if (ask === undefined) {
    throw new UsageError(
      "the address of the service is missing: add --base-url https://api.example.com, or run the command at a terminal.",
      { flag: "--base-url" },
    );
  }
  const text = await ask("address", "Address of the service, such as https://api.example.com: ");
  return parseBaseUrl(text.trim(), "the address");
}

/** The question for the key, with the page where to create one if the service publishes it. */
async function questionFor(baseUrl: URL, globals: GlobalOptions, context: Context): Promise<string> {
  const portal = await fetchPortalAddress(baseUrl, clientSettings(globals, context));
  return portal === undefined ? `API key for ${baseUrl.host}: ` : `Create a key at ${visible(portal)}\nAPI key: `;
}

function withoutKey({ api_key: _key, api_key_command: _command, ...rest }: Profile): Profile {
  return rest;
}
