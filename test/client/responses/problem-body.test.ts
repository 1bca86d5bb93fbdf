import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createRedact } from "../../../src/client/redaction.ts";
import { readBody } from "../../../src/client/responses/body.ts";
import { pageTitle, readErrorBody } from "../../../src/client/responses/problem-body.ts";
import { problemBody } from "../../helpers/envelopes.ts";
import { KEY } from "../../helpers/test-client.ts";

interface Sent {
  body: string | Buffer;
  status?: number;
  contentType?: string;
  contentEncoding?: string;
}

const redact = createRedact(KEY);
const MAX_BODY = 1024 * 1024;

async function read({ body, status = 500, contentType = "", contentEncoding = "" }: Sent) {
  const headers: Record<string, string> = { "content-type": contentType, "content-encoding": contentEncoding };
  const stream = Readable.from(body.length === 0 ? [] : [Buffer.from(body)]);
  const response = { status, header: (name: string) => headers[name] ?? "", body: stream };
  return readErrorBody(response, await readBody(response, MAX_BODY), redact);
}

test("a problem document is read completely", async () => {
  const problem = {
    code: "unknown_category",
    status: 400,
    retryable: false,
    detail: "No category lamp.",
    field: "category",
    valid_options: ["lamps"],
  } as const;
  const body = problemBody({ ...problem, valid_options: [...problem.valid_options] });
  expect(await read({ body, contentType: "application/problem+json" })).toEqual({
    problem: JSON.parse(body),
    text: "No category lamp.",
  });
});

test("each member of a wrong type is dropped, and unknown members are ignored", async () => {
  const body = JSON.stringify({
    type: 7,
    title: "Bad",
    status: "400",
    detail: null,
    code: ["x"],
    retryable: "no",
    valid_options: ["a", 1, null, "b"],
    extra: true,
  });
  expect(await read({ body })).toEqual({ problem: { title: "Bad", valid_options: ["a", "b"] }, text: "Bad" });
});

test.each<[string, Sent, string]>([
  ["JSON with a message", { body: '{"message":"no"}' }, "no"],
  ["JSON with an error", { body: '{"error":"no"}' }, "no"],
  ["JSON with a nested message", { body: '{"error":{"message":"no"}}' }, "no"],
  ["JSON that is no object", { body: "[1]", status: 502 }, "Bad Gateway (unreadable body)"],
  ["JSON that says nothing", { body: "{}", status: 502 }, "Bad Gateway (unreadable body)"],
  ["a web page", { body: "<html><title>502\n Bad</title><p>x", contentType: "text/html" }, "502 Bad"],
  ["a web page without a type", { body: "<!doctype html><TITLE>Oh</TITLE>" }, "Oh"],
  [
    "a web page without a title",
    { body: "<html>", contentType: "text/html" },
    "Internal Server Error (unreadable body)",
  ],
  [
    "a web page with references to characters",
    { body: "<title>Sign in &#183; A&amp;B &lt;b&gt; &#x2014; &quot;x&quot; &copy; &amp;lt; &#x110000;</title>" },
    'Sign in · A&B <b> — "x" &copy; &lt; &#x110000;',
  ],
  ["a web page with a language", { body: '<html><title lang="en">Oh</title>' }, "Oh"],
  ["a web page behind white space", { body: "\n <title>Oh</title>" }, "Oh"],
  ["bytes with a tag in them", { body: "x <title>Oh</title>" }, "Internal Server Error (unreadable body)"],
  ["text of 300 characters", { body: "é".repeat(300), contentType: "text/plain" }, "é".repeat(300)],
  ["text of 300 characters of two units", { body: "🔑".repeat(300), contentType: "text/plain" }, "🔑".repeat(300)],
  ["plain text", { body: "upstream\nis\tdown", contentType: "text/plain" }, "upstream is down"],
  ["long text", { body: "é".repeat(400), contentType: "text/plain" }, `${"é".repeat(299)}…`],
  ["nothing", { body: "", status: 503 }, "Service Unavailable (empty body)"],
  ["nothing, with a status of nobody's", { body: "", status: 599 }, "unknown status (empty body)"],
  ["bytes", { body: Buffer.from([0, 255, 1, 254]) }, "Internal Server Error (unreadable body)"],
  ["a problem document cut short", { body: '{"code":"rate_lim' }, "Internal Server Error (unreadable body)"],
  ["control characters", { body: '{"detail":"a\\u001b[31mb\\u202ec\\u0000"}' }, "a [31mb c"],
  ["gzip", { body: gzipSync('{"title":"packed"}'), contentEncoding: "gzip" }, "packed"],
  [
    "broken gzip",
    { body: "no gzip", contentEncoding: "gzip" },
    "Internal Server Error (body cut, damaged or too long)",
  ],
  ["an encoding of nobody's", { body: "x", contentEncoding: "rot13" }, "Internal Server Error (unreadable body)"],
])("%s becomes one plain line", async (_, sent, text) => {
  expect((await read(sent)).text).toBe(text);
});

test("the title of a page is found in linear time, whatever its tags are", () => {
  // As many tags as fit into the longest body: a search of quadratic time would take hours.
  expect(pageTitle("<title".repeat(5_000_000))).toBeUndefined();
});

test("a long problem document keeps its code and detail", async () => {
  const options = Array.from({ length: 5_000 }, (_, index) => `retailer-number-${index}`);
  const body = problemBody({ code: "unknown_retailer", detail: "No such retailer.", valid_options: options });
  const { problem, text } = await read({ body, status: 400 });
  expect(body.length).toBeGreaterThan(64 * 1024);
  expect({ code: problem.code, text, valid_optionCount: problem.valid_options?.length }).toEqual({
    code: "unknown_retailer",
    text: "No such retailer.",
    valid_optionCount: 5_000,
  });
});

test.each([
  ["unknown_retailer", "Unknown retailer"],
  ["a_code_of_tomorrow", "Bad Request"],
])("a body with only the code %s is readable", async (code, text) => {
  expect(await read({ body: JSON.stringify({ code }), status: 400 })).toEqual({ problem: { code }, text });
});

test("a key that would be cut in the middle is not shown in part", async () => {
  const { text } = await read({ body: `${"x".repeat(280)} ${KEY}`, contentType: "text/plain" });
  expect(text).not.toContain(KEY.slice(0, 8));
});

test("a body that is too long is read up to the limit", async () => {
  const body = "x".repeat(MAX_BODY + 1);
  expect(await read({ body, status: 400 })).toEqual({
    problem: {},
    text: "Bad Request (body cut, damaged or too long)",
  });
});

test("an incomplete body does not hide the status", async () => {
  async function* breaking() {
    yield Buffer.from('{"code":');
    throw new Error("gone");
  }
  const response = { status: 503, header: () => "", body: Readable.from(breaking()) };
  const body = await readBody(response, MAX_BODY);
  expect(body.bytes.length).toBe(8);
  expect(readErrorBody(response, body, redact)).toEqual({
    problem: {},
    text: "Service Unavailable (body cut, damaged or too long)",
  });
});

test("a key that a gateway echoes is removed from the line", async () => {
  const body = `denied: ${KEY}`;
  expect((await read({ body, contentType: "text/plain" })).text).toBe("denied: [redacted]");
});

test("a key that the service echoes is removed from every member and the line", async () => {
  const body = problemBody({ detail: `Bearer ${KEY} is unknown`, field: KEY, valid_options: [KEY] });
  const { problem, text } = await read({ body, status: 401 });
  expect({ ...problem, text }).toMatchObject({
    detail: "Bearer [redacted] is unknown",
    field: "[redacted]",
    valid_options: ["[redacted]"],
    text: "Bearer [redacted] is unknown",
  });
});
