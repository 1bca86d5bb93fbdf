import { CredentialsError, NetworkError, UntrustedError } from "../../contract/errors.ts";
import { plainText } from "../responses/plain-text.ts";
import type { ProxyAddress } from "./direct-connections.ts";
import type { AttemptFailure } from "./retry.ts";

const UNTRUSTED =
  "its certificate is not signed by an authority that this machine trusts; " +
  "name the file of a private authority in NODE_EXTRA_CA_CERTS";

/** Codes of node:tls for certificate errors that no retry can fix, and their messages. */
const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: check the clock of this machine",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  CERT_REVOKED: "its certificate was revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
};

/** Connections that were never made. With a proxy, they are about the proxy: the tool connects to nothing else. */
const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  UND_ERR_CONNECT_TIMEOUT: "the connection took too long",
  ETIMEDOUT: "the connection took too long",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  EAI_AGAIN: "the host name could not be looked up",
  ENOTFOUND: "the host name is unknown",
};

const TRANSFER_ERRORS: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed before the response was complete",
  ERR_STREAM_PREMATURE_CLOSE: "the connection was closed before the response was complete",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response is longer or shorter than its headers say",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the response are too long",
  HPE_HEADER_OVERFLOW: "the headers of the response are too long",
  Z_BUF_ERROR: "the compressed response was cut",
  Z_DATA_ERROR: "the compressed response is damaged",
};

/** Messages by the prefix of a code. */
const KINDS_OF_ERRORS: readonly [start: string, what: string][] = [
  ["HPE_", "the response is not HTTP"],
  // Brotli.
  ["ERR__ERROR_FORMAT_", "the compressed response is damaged"],
];

/** Codes of programming errors, not network errors. */
const PROGRAMMING_ERRORS = new Set(["UND_ERR_INVALID_ARG", "ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE"]);

/**
 * Describes a failed connection or transfer in words and decides whether a retry can help.
 *
 * @param reached whether the origin has answered before; if not, an unknown host name is probably misspelt, and a retry
 * cannot help
 * @param proxy between this machine and the origin
 * @throws UntrustedError for a certificate, CredentialsError if the proxy asks for a password, or `error` itself if it is not
 * a network error
 */
export function networkFailure(error: unknown, origin: string, reached: boolean, proxy?: ProxyAddress): AttemptFailure {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : "";
  const broken = (message: string, permanent: boolean): AttemptFailure => {
    return { error: new NetworkError(message, { cause: error }), permanent };
  };
  const proxyStatus = /proxy\D*\((\d{3})\)/i.exec(text)?.[1];
  if (proxy !== undefined && proxyStatus !== undefined) {
    return broken(proxyRefusal(Number(proxyStatus), origin, proxy), Number(proxyStatus) < 500);
  }
  if (error instanceof RangeError && /out of memory/i.test(text)) {
    return broken("No request can be sent: there is too little address space (`ulimit -v`) or memory", true);
  }
  if (code === undefined || PROGRAMMING_ERRORS.has(code)) {
    throw error;
  }
  const secureProxy = proxy?.origin.startsWith("https:") ? proxy : undefined;
  const certificate = CERTIFICATE_ERRORS[code];
  const whose = secureProxy === undefined ? origin : `${origin} or the proxy ${secureProxy.origin}`;
  if (certificate !== undefined) {
    throw new UntrustedError(`${whose} cannot be trusted: ${certificate}`, { cause: error });
  }
  const alert = tlsFailure(code, text);
  if (alert === "wrong version number") {
    return broken(withoutTls(origin, secureProxy), true);
  }
  if (alert !== undefined) {
    // A server that has answered before agrees on TLS, so that its connection was only disturbed.
    return broken(`The TLS connection to ${whose} failed: ${alert} (${code})`, !reached);
  }
  const unconnected = CONNECTION_ERRORS[code];
  if (unconnected !== undefined) {
    const from = proxy === undefined ? origin : `the proxy ${proxy.origin} (${proxy.variable})`;
    return broken(`No response from ${from}: ${unconnected} (${code})`, code === "ENOTFOUND" && !reached);
  }
  const kind = KINDS_OF_ERRORS.find(([start]) => code.startsWith(start));
  const what = TRANSFER_ERRORS[code] ?? kind?.[1] ?? plainText(text);
  return broken(`No complete response from ${origin}: ${what} (${code})`, false);
}

/** What OpenSSL says in `error:NUMBER:LIBRARY:FUNCTION:REASON:FILE:LINE`; undefined if the failure is not one of TLS. */
function tlsFailure(code: string, text: string): string | undefined {
  const reason = /:error:[^:]*:[^:]*:[^:]*:([^:]+):/.exec(text)?.[1];
  const isOfTls = code.startsWith("ERR_SSL_") || code === "EPROTO";
  return isOfTls ? plainText(reason ?? code.replace("ERR_SSL_", "").replaceAll("_", " ").toLowerCase()) : undefined;
}

function withoutTls(origin: string, proxy: ProxyAddress | undefined): string {
  return proxy === undefined
    ? `${origin} does not use TLS: is the base URL http:// instead?`
    : `The proxy ${proxy.origin} does not use TLS: should ${proxy.variable} begin with http://?`;
}

/** @throws CredentialsError if the proxy asks for a password */
function proxyRefusal(status: number, origin: string, proxy: ProxyAddress): string {
  if (status === 407) {
    throw proxyPasswordError(proxy);
  }
  return `The proxy ${proxy.origin} (${proxy.variable}) refused the connection to ${origin} with status ${status}`;
}

/** The error for a proxy that asks for a user and a password, or rejects the ones it got. */
export function proxyPasswordError({ origin, variable }: ProxyAddress): CredentialsError {
  const { protocol, host } = new URL(origin);
  return new CredentialsError(
    `The proxy ${origin} asks for a user and a password (407): set ${variable} to ${protocol}//USER:PASSWORD@${host}`,
  );
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return error.code;
  }
  // undici gives some of these no code.
  return error instanceof Error && error.name === "HTTPParserError" ? "HPE_INVALID" : undefined;
}
