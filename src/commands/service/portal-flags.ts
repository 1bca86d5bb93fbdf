import { isIP } from "node:net";
import type { Context } from "../../cli/context.ts";
import { type FlagsOf, flagError, valueError } from "../../cli/flags/values.ts";
import { parseBaseUrl } from "../../config/settings.ts";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { isLoopback } from "../../service/http/admission/source-address.ts";
import type { PortalAccess, SendCode, ServiceOptions } from "../../service/http/service-options.ts";
import { mailCodes } from "./mail.ts";
import type { addStartFlags } from "./service-flags.ts";

type PortalFlags = FlagsOf<typeof addStartFlags>;

/** How clients reach the service, and how sign-in codes are sent. */
export interface PortalOptions extends Pick<ServiceOptions, "publicUrl" | "errorBase" | "trustProxy"> {
  /** The mail server and the sender; undefined without mail. */
  mail: { url: string; from: string } | undefined;
}

/**
 * Parses `--public-url`, `--error-base`, `--trust-proxy`, `--smtp-url` and `--mail-from`, or their environment variables.
 *
 * @throws UsageError naming the flag or variable. Never repeats an address that may contain a password
 */
export function parsePortalFlags(flags: PortalFlags, host: string, env: Context["env"]): PortalOptions {
  const publicUrl = parseAddress(given("--public-url", flags.publicUrl, "CATALOG_PUBLIC_URL", env));
  const errorBase = parseAddress(given("--error-base", flags.errorBase));
  if (publicUrl === undefined && !isLoopback(host)) {
    throw new UsageError(
      `other machines can reach --host ${quoted(host)}: add --public-url with the address that they use, such as https://api.example.com. Errors, links and cookies need it.`,
      { flag: "--public-url" },
    );
  }
  const trustProxy = flags.trustProxy === undefined ? undefined : parseTrustProxy(flags.trustProxy);
  return { mail: parseMail(flags, env), publicUrl, errorBase, trustProxy };
}

/**
 * How people sign in to the portal, and warnings about the set-up. Without mail, a service on loopback prints the codes; any
 * other service has no portal.
 */
export function signInOf(
  { host, publicUrl, mail }: Pick<PortalOptions, "mail"> & { host: string; publicUrl: string | undefined },
  printError: Context["printError"],
): { portal?: PortalAccess; warnings: readonly string[] } {
  const isPublicLoopback = publicUrl === undefined || isLoopback(new URL(publicUrl).hostname);
  const warnings =
    publicUrl?.startsWith("http:") && !isPublicLoopback
      ? [`${publicUrl} is not https: others on the network can read keys, codes and cookies`]
      : [];
  if (mail !== undefined) {
    return { portal: { sendCode: mailCodes(mail), codesArePrinted: false }, warnings };
  }
  if (isLoopback(host) && isPublicLoopback) {
    const sendCode: SendCode = async (email, code) => {
      printError(`sign-in code for ${email}: ${code}\n`);
    };
    return { portal: { sendCode, codesArePrinted: true }, warnings };
  }
  const off =
    "the developer portal is off, because it sends sign-in codes by mail, and --smtp-url and --mail-from are not set. Only a service for this machine alone prints the codes instead";
  return { warnings: [off, ...warnings] };
}

/** A setting and where it comes from: the flag, else the environment variable. */
interface Setting {
  source: string;
  text: string;
}

function given(flag: string, text: string | undefined, variable = "", env: Context["env"] = {}): Setting | undefined {
  if (text !== undefined) {
    return { source: flag, text };
  }
  const value = env[variable];
  return value ? { source: variable, text: value } : undefined;
}

/** Parses the address of a service, and removes a final slash. */
function parseAddress(setting: Setting | undefined): string | undefined {
  const url = setting && parseBaseUrl(setting.text, setting.source);
  return url && `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function parseMail(flags: PortalFlags, env: Context["env"]): PortalOptions["mail"] {
  const server = given("--smtp-url", flags.smtpUrl, "CATALOG_SMTP_URL", env);
  const sender = given("--mail-from", flags.mailFrom, "CATALOG_MAIL_FROM", env);
  if (server === undefined || sender === undefined) {
    const { source } = server ?? sender ?? {};
    if (source === undefined) {
      return undefined;
    }
    const missing = server === undefined ? "--smtp-url" : "--mail-from";
    throw new UsageError(`${source} needs ${missing}: sending mail takes a server and a sender address.`, {
      flag: missing,
    });
  }
  const [{ text: url }, { text: from }] = [server, sender];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["smtp:", "smtps:"].includes(parsed.protocol) || parsed.hostname === "") {
    throw flagError(
      server.source,
      "is not the address of a mail server; write smtps://user:password@mail.example.com.",
    );
  }
  if (!/^[^\s@<>]+@[^\s@<>]+$|^[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>$/.test(from)) {
    throw valueError(sender.source, from, "is not an e-mail address; write one such as catalog@example.com.");
  }
  return { url, from };
}

const NETWORK_NAMES = ["loopback", "linklocal", "uniquelocal"];

function parseTrustProxy(text: string): number | string {
  if (/^\d{1,2}$/.test(text)) {
    return Number(text);
  }
  const isNetwork = (part: string) => {
    const [address = "", bits, ...rest] = part.split("/");
    const width = isIP(address) === 6 ? 128 : 32;
    const isWidth = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= width);
    return NETWORK_NAMES.includes(part) || (isIP(address) !== 0 && isWidth && rest.length === 0);
  };
  if (!text.split(",").every((part) => isNetwork(part.trim()))) {
    throw valueError(
      "--trust-proxy",
      text,
      "is neither a number of proxies nor a list of addresses and networks; write 1, or 10.0.0.0/8,127.0.0.1.",
    );
  }
  return text;
}
