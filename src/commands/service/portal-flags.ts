import { isIP } from "node:net";
import { quoted } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { ServiceOptions } from "../../service/http/service-options.ts";
import { isLoopback } from "../../service/portal/console/guard.ts";
import type { SendCode } from "../../service/portal/console/parts.ts";
import { mailCodes } from "../../service/portal/mail.ts";
import type { StartFlags } from "./options.ts";

/** What the flags say of the service's public side. */
export interface PortalFlags {
  options: Pick<ServiceOptions, "publicUrl" | "trustProxy">;
  /**
   * How codes are sent, once the address of the service is known; undefined where the portal is not offered, which
   * `refusal` explains.
   */
  portal: ((base: () => string) => NonNullable<ServiceOptions["portal"]>) | undefined;
  refusal: string | undefined;
  /** What is allowed but dangerous. */
  warning: string | undefined;
}

/**
 * Reads `--public-url`, `--trust-proxy`, `--smtp-url` and `--mail-from`, or the environment in place of them. Without
 * mail the codes are printed, which only helps whoever sits at this machine.
 *
 * @throws UsageError naming the flag; the SMTP address is never repeated, since it may hold a password
 */
export function parsePortalFlags(
  flags: StartFlags,
  host: string,
  context: Pick<Context, "env" | "stderr">,
): PortalFlags {
  const publicUrl = parsePublicUrl(flags.publicUrl ?? (context.env.CATALOG_PUBLIC_URL || undefined));
  if (publicUrl === undefined && !isLoopback(host)) {
    throw new UsageError(
      `--host ${quoted(host)} is reached from other machines: say under which address with --public-url, such as https://api.example.com. Errors, links and cookies need it.`,
      { flag: "--public-url" },
    );
  }
  const mail = parseMail(flags, context.env);
  const isLocal = isLoopback(host) && (publicUrl === undefined || isLoopback(new URL(publicUrl).hostname));
  const print: SendCode = async (email, code) => {
    context.stderr.write(`sign-in code for ${email}: ${code}\n`);
  };
  const portal =
    mail !== undefined
      ? (base: () => string) => ({
          sendCode: mailCodes({ ...mail, portal: () => `${base()}/portal` }),
          codesArePrinted: false,
        })
      : isLocal
        ? () => ({ sendCode: print, codesArePrinted: true })
        : undefined;
  return {
    options: {
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(flags.trustProxy === undefined ? {} : { trustProxy: parseTrustProxy(flags.trustProxy) }),
    },
    portal,
    refusal:
      portal === undefined
        ? "the developer portal is not offered: its sign-in codes are sent by mail, and --smtp-url and --mail-from are not set. On a loopback address alone they would be printed."
        : undefined,
    warning:
      publicUrl?.startsWith("http:") === true && !isLoopback(new URL(publicUrl).hostname)
        ? `${publicUrl} is not https: keys, codes and cookies can be read on their way.`
        : undefined,
  };
}

function parsePublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isHttp || url.username !== "" || url.password !== "" || url.href !== `${url.origin}/`) {
    throw new UsageError(
      `--public-url ${quoted(text)} is not an address without a path; write one such as https://api.example.com.`,
      { flag: "--public-url", value: text },
    );
  }
  return url.origin;
}

function parseMail(flags: StartFlags, env: Context["env"]): { url: string; from: string } | undefined {
  const url = flags.smtpUrl ?? (env.CATALOG_SMTP_URL || undefined);
  const from = flags.mailFrom ?? (env.CATALOG_MAIL_FROM || undefined);
  if (url === undefined && from === undefined) {
    return undefined;
  }
  if (url === undefined || from === undefined) {
    const [given, missing] = url === undefined ? ["--mail-from", "--smtp-url"] : ["--smtp-url", "--mail-from"];
    throw new UsageError(`${given} needs ${missing}: mail has a server and an address that it comes from.`, {
      flag: missing,
    });
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["smtp:", "smtps:"].includes(parsed.protocol) || parsed.hostname === "") {
    throw new UsageError(
      "--smtp-url is not the address of a mail server; write smtps://user:password@mail.example.com.",
      {
        flag: "--smtp-url",
      },
    );
  }
  if (!/^[^\s@<>]+@[^\s@<>]+$|^[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>$/.test(from)) {
    throw new UsageError(
      `--mail-from ${quoted(from)} is not an e-mail address; write one such as catalog@example.com.`,
      {
        flag: "--mail-from",
        value: from,
      },
    );
  }
  return { url, from };
}

/** Names that stand for networks of addresses. */
const NETWORK_NAMES = ["loopback", "linklocal", "uniquelocal"];

function parseTrustProxy(text: string): number | string {
  if (/^\d{1,2}$/.test(text)) {
    return Number(text);
  }
  const isNetwork = (part: string) => {
    const [address = "", bits, ...rest] = part.split("/");
    const width = isIP(address) === 6 ? 128 : 32;
    const isWidth = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
    return NETWORK_NAMES.includes(part) || (isIP(address) !== 0 && isWidth && rest.length === 0);
  };
  if (!text.split(",").every((part) => isNetwork(part.trim()))) {
    throw new UsageError(
      `--trust-proxy ${quoted(text)} is neither a number of proxies nor a list of addresses and networks; write 1, or 10.0.0.0/8,127.0.0.1.`,
      { flag: "--trust-proxy", value: text },
    );
  }
  return text;
}
