import { UsageError } from "../contract/errors.ts";
import { closest } from "../contract/values/closest.ts";
import { quoted } from "../contract/values/phrases.ts";
import { quoteCommand } from "../contract/values/quote-command.ts";
import { DEFAULT_PROFILE, type Profile, readConfig, requestedProfile } from "./config-file.ts";
import { type Credential, findCredential, type KeyContext, type NamedProfile } from "./credentials.ts";
import type { Environment } from "./environment.ts";

/** The service to use, and the key for it. */
export interface ConnectionSettings {
  baseUrl: URL;
  credential: Credential;
  profile: string | undefined;
}

/**
 * Finds the address of the service and the key: from the flag, else the environment, else the profile.
 *
 * @throws UsageError, CredentialsError or FileError, which say what to set
 */
export async function resolveService(
  flags: { baseUrl: string | undefined; profile: string | undefined },
  context: Pick<Environment, "folders" | "protect"> & KeyContext,
): Promise<ConnectionSettings> {
  const profile = await findProfile(flags.profile, context);
  const baseUrl = resolveBaseUrl(flags.baseUrl, context, profile);
  const credential = await findCredential(context, profile && withKeyFor(baseUrl, profile));
  return { baseUrl, credential, profile: profile?.name };
}

/** Removes the key from a profile if another origin is requested. A key is only sent to its own service. */
function withKeyFor(baseUrl: URL, profile: NamedProfile): NamedProfile {
  const { base_url, api_key, api_key_command, ...rest } = profile.values;
  if (base_url === undefined) {
    return profile;
  }
  const { origin } = parseBaseUrl(base_url, "base_url of the profile");
  const isKeyWithheld = (api_key ?? api_key_command) !== undefined;
  return origin === baseUrl.origin ? { ...profile, origin } : { ...profile, origin, values: rest, isKeyWithheld };
}

/**
 * The profile to use; undefined if none is requested or configured and there is none named `default`.
 *
 * @throws UsageError if the requested one does not exist
 */
export async function findProfile(
  flag: string | undefined,
  context: Pick<Environment, "env" | "folders">,
): Promise<NamedProfile | undefined> {
  const { path, profiles, defaultProfile } = await readConfig(context);
  const asked = requestedProfile(flag, context);
  const name = asked ?? defaultProfile ?? DEFAULT_PROFILE;
  const values = profiles.get(name);
  if (values !== undefined && path !== undefined) {
    return { name, path, values };
  }
  if (asked === undefined && defaultProfile === undefined) {
    return undefined;
  }
  const names = [...profiles.keys()];
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw new UsageError(`there is no profile ${quoted(name)} in ${path ?? "the configuration file"}; ${known}.`, {
    ...(flag === undefined ? {} : { flag: "--profile", value: flag }),
    suggestions: closest(name, names, 1),
  });
}

/** The address of the service, from the flag, else the environment, else the profile. @throws UsageError without any */
export function resolveBaseUrl(
  flag: string | undefined,
  context: Pick<Environment, "env">,
  profile: NamedProfile | undefined,
): URL {
  const url = findBaseUrl(flag, context, profile?.values);
  if (url === undefined && profile !== undefined) {
    const { name, path } = profile;
    const login = quoteCommand(["catalog", "auth", "login", "--profile", name]);
    throw new UsageError(`The profile ${quoted(name)} of ${path} has no base_url. Run: ${login}`);
  }
  if (url === undefined) {
    throw new UsageError(
      "No service is set up yet. Run: catalog auth login\n" +
        "Without an account, try: catalog coverage --demo\n" +
        "In a script, set CATALOG_BASE_URL and CATALOG_API_KEY_FILE.",
    );
  }
  return url;
}

/** Like `resolveBaseUrl`, but undefined without an address. */
export function findBaseUrl(
  flag: string | undefined,
  { env }: Pick<Environment, "env">,
  profile: Profile | undefined,
): URL | undefined {
  return firstAddress([
    ["--base-url", flag],
    ["CATALOG_BASE_URL", env.CATALOG_BASE_URL || undefined],
    ["base_url of the profile", profile?.base_url],
  ]);
}

/** Parses the first address that is set. */
function firstAddress(candidates: readonly (readonly [source: string, value: string | undefined])[]): URL | undefined {
  for (const [source, value] of candidates) {
    if (value !== undefined) {
      return parseBaseUrl(value, source);
    }
  }
  return undefined;
}

/**
 * Finds the address of the status feed: from the flag, `CATALOG_STATUS_URL`, the `status_url` of the profile, else
 * `status.json` below the address of the service.
 *
 * @throws UsageError or FileError, which say what to set
 */
export async function resolveStatusUrl(
  flags: { statusUrl: string | undefined; baseUrl: string | undefined; profile: string | undefined },
  context: Environment,
): Promise<URL> {
  const profile = await findProfile(flags.profile, context);
  const { base_url, status_url } = profile?.values ?? {};
  const asked = flags.baseUrl ?? (context.env.CATALOG_BASE_URL || undefined);
  // The profile's status feed is that of the profile's service.
  const isOther = asked !== undefined && base_url !== undefined && originOf(asked) !== originOf(base_url);
  const url = firstAddress([
    ["--status-url", flags.statusUrl],
    ["CATALOG_STATUS_URL", context.env.CATALOG_STATUS_URL || undefined],
    ["status_url of the profile", isOther ? undefined : status_url],
  ]);
  if (url !== undefined) {
    return url;
  }
  const baseUrl = resolveBaseUrl(flags.baseUrl, context, profile);
  return new URL(`${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}/status.json`);
}

/** The origin of an address; undefined if it is no URL. */
export function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

/**
 * Parses the address of a service, which may have a path but no credentials, query or fragment.
 *
 * @param source where the address comes from, for messages
 * @throws UsageError, which never repeats an address with credentials
 */
export function parseBaseUrl(text: string, source: string): URL {
  const expected = "expected an address such as https://api.example.com or http://127.0.0.1:8787/api";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  // Even if the text is no URL, a password may come before an @.
  if (isHttp ? url.username !== "" || url.password !== "" : text.includes("@")) {
    throw new UsageError(
      `${source} must not contain a user name or password; the API takes a key, see \`catalog auth --help\`.`,
    );
  }
  if (!isHttp) {
    throw new UsageError(`${source} ${quoted(text)} is not an http or https URL; ${expected}.`, {
      flag: source,
      value: text,
      suggestions: withScheme(text),
    });
  }
  if (url.search !== "" || url.hash !== "") {
    throw new UsageError(`${source} ${quoted(text)} has a query or fragment; ${expected}.`, {
      flag: source,
      value: text,
    });
  }
  return url;
}

/** The address with the scheme that was probably left out: services on this machine rarely have TLS. */
function withScheme(text: string): string[] {
  const address = `https://${text}`;
  if (text.includes("://") || !URL.canParse(address)) {
    return [];
  }
  const isLocal = /^(localhost|127\.|\[::1\])/.test(new URL(address).hostname);
  return [isLocal ? `http://${text}` : address];
}
