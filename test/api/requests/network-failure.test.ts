import { expect, test } from "vitest";
import { networkFailure } from "../../../src/api/requests/network-failure.ts";

const ORIGIN = "https://catalog.example";

function coded(code: string, message = "from below"): Error {
  return Object.assign(new Error(message), { code });
}

function told(error: Error, reached = false): { message: string; permanent: boolean } {
  const { message, permanent } = networkFailure(error, ORIGIN, reached);
  return { message, permanent };
}

test("an untrusted certificate is final, and the error names a solution", () => {
  expect(told(coded("SELF_SIGNED_CERT_IN_CHAIN"))).toEqual({
    message:
      "https://catalog.example cannot be trusted: its certificate is not signed by an authority that this machine " +
      "trusts; name the file of a private authority in NODE_EXTRA_CA_CERTS",
    permanent: true,
  });
});

test("a certificate for another host is final", () => {
  expect(told(coded("ERR_TLS_CERT_ALTNAME_INVALID"))).toEqual({
    message: "https://catalog.example cannot be trusted: its certificate is for another host",
    permanent: true,
  });
});

test("a server without TLS is final and asks for the scheme", () => {
  expect(told(coded("ERR_SSL_WRONG_VERSION_NUMBER"))).toEqual({
    message: "https://catalog.example does not use TLS: is the base URL http:// instead?",
    permanent: true,
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
    message: "No response from https://catalog.example: no buffers (ENOBUFS)",
    permanent: false,
  });
});

test("a programming error is rethrown", () => {
  const mistake = new TypeError("undefined is not a function");
  expect(() => networkFailure(mistake, ORIGIN, false)).toThrow(mistake);
});
