import { expect, test } from "vitest";
import type { ProxyAddress } from "../../../src/client/requests/direct-connections.ts";
import { networkFailure } from "../../../src/client/requests/network-failure.ts";
import { NetworkError, UntrustedError } from "../../../src/contract/errors.ts";

const ORIGIN = "https://catalog.example";

function coded(code: string, message = "from below"): Error {
  return Object.assign(new Error(message), { code });
}

function told(
  error: Error,
  reached = false,
  proxy?: ProxyAddress,
): { message: string; permanent: boolean | undefined } {
  const failure = networkFailure(error, ORIGIN, reached, proxy);
  expect(failure.error).toBeInstanceOf(NetworkError);
  return { message: failure.error.message, permanent: failure.permanent };
}

const UNSIGNED =
  "its certificate is not signed by an authority that this machine trusts; name the file of a private authority in NODE_EXTRA_CA_CERTS";

const alertOf = (reason: string) =>
  coded(
    "EPROTO",
    `write EPROTO 802C:error:0A000410:SSL routines:ssl3_read_bytes:${reason}:../deps/x.c:16:SSL alert number 4\n`,
  );

test("a server without TLS is final and asks for the scheme, whatever its code is", () => {
  const asked = {
    message: "https://catalog.example does not use TLS: is the base URL http:// instead?",
    permanent: true,
  };
  expect([told(coded("ERR_SSL_WRONG_VERSION_NUMBER")), told(alertOf("wrong version number"))]).toEqual([asked, asked]);
});

test("a server that refuses a handshake is final before the first response, and never taken for one without TLS", () => {
  const failed = (what: string) => `The TLS connection to https://catalog.example failed: ${what}`;
  const refused = alertOf("sslv3 alert handshake failure");
  expect([told(refused), told(refused, true)]).toEqual([
    { message: failed("sslv3 alert handshake failure (EPROTO)"), permanent: true },
    { message: failed("sslv3 alert handshake failure (EPROTO)"), permanent: false },
  ]);
  const code = "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";
  const text = "802C:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/x.c:16:";
  const message = failed(`tlsv13 alert certificate required (${code})`);
  expect({ withText: told(coded(code, text)).message, withoutText: told(coded(code)).message }).toEqual({
    withText: message,
    withoutText: message,
  });
});

test("an unknown name is final before the first response and retried after it", () => {
  const message = "No response from https://catalog.example: the host name is unknown (ENOTFOUND)";
  expect([told(coded("ENOTFOUND"), false), told(coded("ENOTFOUND"), true)]).toEqual([
    { message, permanent: true },
    { message, permanent: false },
  ]);
});

test("an error without a message of its own keeps its original text", () => {
  expect(told(coded("ENOBUFS", "no\nbuffers"))).toEqual({
    message: "No complete response from https://catalog.example: no buffers (ENOBUFS)",
    permanent: false,
  });
});

test.each([
  ["SELF_SIGNED_CERT_IN_CHAIN", UNSIGNED],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNSIGNED],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNSIGNED],
  ["UNABLE_TO_GET_ISSUER_CERT", UNSIGNED],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNSIGNED],
  ["CERT_UNTRUSTED", UNSIGNED],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet: check the clock of this machine"],
  ["CERT_REVOKED", "its certificate was revoked"],
])("the certificate error %s is final: %s", (code, what) => {
  const error = new UntrustedError(`https://catalog.example cannot be trusted: ${what}`);
  expect(() => networkFailure(coded(code), ORIGIN, true)).toThrow(error);
});

test.each([
  ["ECONNREFUSED", "the connection was refused"],
  ["UND_ERR_CONNECT_TIMEOUT", "the connection took too long"],
  ["ETIMEDOUT", "the connection took too long"],
  ["EHOSTUNREACH", "the host cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
  ["EAI_AGAIN", "the host name could not be looked up"],
])("a connection that was not made has no response, and a retry may help: %s, %s", (code, what) => {
  expect(told(coded(code))).toEqual({
    message: `No response from https://catalog.example: ${what} (${code})`,
    permanent: false,
  });
});

test.each([
  ["ECONNRESET", "the connection was reset"],
  ["EPIPE", "the connection was closed"],
  ["UND_ERR_SOCKET", "the connection was closed before the response was complete"],
  ["ERR_STREAM_PREMATURE_CLOSE", "the connection was closed before the response was complete"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "the response is longer or shorter than its headers say"],
  ["UND_ERR_HEADERS_OVERFLOW", "the headers of the response are too long"],
  ["HPE_HEADER_OVERFLOW", "the headers of the response are too long"],
  ["HPE_INVALID_CONSTANT", "the response is not HTTP"],
  ["Z_BUF_ERROR", "the compressed response was cut"],
  ["Z_DATA_ERROR", "the compressed response is damaged"],
  ["ERR__ERROR_FORMAT_PADDING_1", "the compressed response is damaged"],
])("after %s a retry may help: %s", (code, what) => {
  expect(told(coded(code))).toEqual({
    message: `No complete response from https://catalog.example: ${what} (${code})`,
    permanent: false,
  });
});

test.each([
  ["Proxy response (403) !== 200 when HTTP Tunneling", "403", true],
  ["Proxy response (503) !== 200 when HTTP Tunneling", "503", false],
  ["Proxy response (500) !== 200 when HTTP Tunneling", "500", false],
])("a proxy that refuses is named with its status: %s", (text, status, permanent) => {
  expect(told(new Error(text), false, { origin: "http://proxy.example:3128", variable: "https_proxy" })).toEqual({
    message: `The proxy http://proxy.example:3128 (https_proxy) refused the connection to https://catalog.example with status ${status}`,
    permanent,
  });
});

test("too little address space is final", () => {
  expect(told(new RangeError("WebAssembly.Memory(): could not allocate: Out of memory"))).toEqual({
    message: "No request can be sent: there is too little address space (`ulimit -v`) or memory",
    permanent: true,
  });
});

test("a parser error of undici without a code is a response that is not HTTP", () => {
  const error = Object.assign(new Error("Expected HTTP/"), { name: "HTTPParserError" });
  expect(told(error).message).toBe(
    "No complete response from https://catalog.example: the response is not HTTP (HPE_INVALID)",
  );
});

test.each([
  new TypeError("undefined is not a function"),
  new RangeError("Invalid array length"),
  new Error("out of memory"),
  Object.assign(new Error("a code that is no text"), { code: 7 }),
  coded("UND_ERR_INVALID_ARG"),
  coded("ERR_INVALID_ARG_TYPE"),
  coded("ERR_INVALID_ARG_VALUE"),
])("%s is no network error and is rethrown", (error) => {
  expect(() => networkFailure(error, ORIGIN, false)).toThrow(error);
});
