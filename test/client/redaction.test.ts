import { expect, test } from "vitest";
import { createRedact } from "../../src/client/redaction.ts";

const KEY = "aB3-xyz_".repeat(5).concat("end");
const escaped = (format: (hex: string) => string) =>
  [...KEY].map((character) => format(character.charCodeAt(0).toString(16))).join("");

test.each([
  ["as it is", KEY],
  ["percent-encoded", escaped((hex) => `%${hex}`)],
  ["percent-encoded in capitals", escaped((hex) => `%${hex.toUpperCase()}`)],
  ["percent-encoded in part", KEY.replaceAll("-", "%2d").replaceAll("z", "%7A")],
  ["percent-encoded twice", escaped((hex) => `%25${hex}`)],
  ["escaped in JSON", escaped((hex) => `\\u00${hex}`)],
])("a secret is removed %s", (_, form) => {
  const redact = createRedact("another-secret", KEY);
  expect(redact(`before ${form} and ${form}, another-secret`)).toBe("before [redacted] and [redacted], [redacted]");
});

test("a secret with characters of its own in URLs and JSON is removed from both", () => {
  const secret = 'ä"b\\c d/e%f';
  const text = `${encodeURIComponent(secret)} ${encodeURIComponent(secret).toLowerCase()} ${JSON.stringify(secret)}`;
  expect(createRedact(secret)(text)).toBe('[redacted] [redacted] "[redacted]"');
});

test("a secret is removed from an error, its stack, its causes and its members, also in a circle", () => {
  const innermost = Object.assign(new TypeError(KEY), { address: `https://${KEY}.example` });
  const cause = new AggregateError([innermost, KEY], KEY, { cause: { url: `?key=${KEY}` } });
  const error = new Error(`about ${KEY}`, { cause });
  innermost.cause = error;
  expect(createRedact(KEY)(error)).toBe(error);
  const texts = [error, cause, innermost].flatMap(({ message, stack }) => [message, stack]);
  expect(JSON.stringify([texts, cause.cause, innermost.address, cause.errors[1]])).not.toContain(KEY);
  expect({ message: error.message, cause: cause.cause, errors: cause.errors }).toEqual({
    message: "about [redacted]",
    cause: { url: "?key=[redacted]" },
    errors: [innermost, "[redacted]"],
  });
});

test("all of a secret is removed that is far longer than a key", () => {
  expect(createRedact("x9".repeat(50_000))(`before ${"x9".repeat(50_000)} after`)).toBe("before [redacted] after");
});

test("a text of seven characters is no secret, one of eight is", () => {
  const text = "1234567 and 12345678";
  expect([createRedact(undefined, "1234567")(text), createRedact("12345678", undefined)(text)]).toEqual([
    text,
    "1234567 and [redacted]",
  ]);
});

test("names of members are redacted, and values of a class are not copied", () => {
  const date = new Date(0);
  expect(createRedact(KEY)({ [KEY]: [KEY, 1, null, date] })).toEqual({ "[redacted]": ["[redacted]", 1, null, date] });
});

test("an object that is there twice is redacted in both places", () => {
  const same = { url: `?key=${KEY}` };
  const list = [KEY];
  expect(createRedact(KEY)({ first: [same, list], second: [same, list] })).toEqual({
    first: [{ url: "?key=[redacted]" }, ["[redacted]"]],
    second: [{ url: "?key=[redacted]" }, ["[redacted]"]],
  });
});

test("characters of several bytes or units are found in every form", () => {
  const redact = createRedact("ÿ🔑".repeat(4));
  const json = "\\u00ff\\ud83d\\udd11".repeat(4);
  expect([redact("%C3%BF%F0%9F%94%91".repeat(4)), redact(json)]).toEqual(["[redacted]", "[redacted]"]);
});

test("only of a secret of more than 200 characters, what follows it is removed up to white space", () => {
  const [longest, longer] = ["x".repeat(200), "x".repeat(201)];
  expect([createRedact(longest)(`${longest}. After`), createRedact(longer)(`${longer}. After`)]).toEqual([
    "[redacted]. After",
    "[redacted] After",
  ]);
});

test("an object or list that is part of itself is copied with its circle", () => {
  const certificate: Record<string, unknown> = { subject: KEY };
  certificate.issuer = certificate;
  const list: unknown[] = [certificate];
  list.push(list);
  const copy = createRedact(KEY)(list);
  expect(copy[0]).toMatchObject({ subject: "[redacted]" });
  expect({ copy1: copy[1], issuer: (copy[0] as typeof certificate).issuer }).toEqual({ copy1: copy, issuer: copy[0] });
});
