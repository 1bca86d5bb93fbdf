import { expect, test } from "vitest";
import { describeError, errorAsJson } from "../../../src/cli/errors/error-text.ts";
import {
  ApiError,
  ContractError,
  CredentialsError,
  EmptyResultError,
  FileError,
  InterruptedError,
  NetworkError,
  SetChangedError,
  UsageError,
} from "../../../src/contract/errors.ts";
import { PROBLEMS } from "../../../src/contract/problems.ts";

const unknownRetailer = new ApiError('no retailer is called "amazn-in"', {
  status: 400,
  problem: {
    type: "https://errors.example/errors#unknown_retailer",
    title: PROBLEMS.unknown_retailer.title,
    status: 400,
    detail: 'no retailer is called "amazn-in"',
    code: "unknown_retailer",
    retryable: false,
    recovery: PROBLEMS.unknown_retailer.recovery,
    request_id: "req-7",
    field: "retailer",
    valid_options: ["amazon-in", "amazon-eg"],
  },
});

const badGateway = new ApiError("Bad Gateway (empty body) (after 6 attempts)", {
  status: 502,
  problem: {},
});

test("a refused value is shown with suggestions, the corrected command and the facts for a report", () => {
  const command = ["catalog", "coverage", "--retailer", "amazon-in", "--date", "it's"];
  expect(describeError(unknownRetailer, { command, value: "amazn-in" })).toBe(
    [
      'error: no retailer is called "amazn-in"',
      "Did you mean amazon-in?",
      "  catalog coverage --retailer amazon-in --date 'it'\\''s'",
      "List them: `catalog coverage --group-by retailer`.",
      "unknown_retailer · request req-7 · catalog explain unknown_retailer",
    ].join("\n"),
  );
});

test("the refused value is named even if the service did not name it", () => {
  const error = new ApiError("Unknown category", { status: 400, problem: { code: "unknown_category" } });
  expect(describeError(error, { value: "boks" }).split("\n")[0]).toBe('error: "boks": Unknown category');
});

test("a response without a problem document is described by its known facts", () => {
  expect(describeError(badGateway)).toBe(
    "error: Bad Gateway (empty body) (after 6 attempts)\nhttp_error · catalog explain http_error",
  );
});

test("a key that looks wrong is pointed out", () => {
  const error = new ApiError("the key is unknown", {
    status: 401,
    problem: { code: "invalid_credentials" },
    keyFlaw: "it has 41 characters instead of 43",
  });
  expect(describeError(error)).toBe(
    [
      "error: the key is unknown",
      "The key looks wrong: it has 41 characters instead of 43.",
      PROBLEMS.invalid_credentials.recovery,
      "invalid_credentials · catalog explain invalid_credentials",
    ].join("\n"),
  );
});

test("a long list of valid options is cut", () => {
  const suggestions = Array.from({ length: 12 }, (_, index) => `c${index}`);
  expect(describeError(new UsageError("there is no column", { suggestions }))).toBe(
    "error: there is no column\nDid you mean c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more?",
  );
});

test("no control character of a service reaches the terminal", () => {
  const error = new ApiError("\x1b]0;title\x07\nerror: all is well", {
    status: 400,
    problem: { code: "x\r", recovery: "\u202eevil", request_id: "\x9b2J", valid_options: ["\x1b[2J"] },
  });
  expect(describeError(error, { command: ["catalog", "\x1b[2J"] })).toBe(
    [
      "error: \\x1b]0;title\\x07\\nerror: all is well",
      "Did you mean \\x1b[2J?",
      "  catalog $'\\033[2J'",
      "\\u202eevil",
      "x\\r · request \\x9b2J",
    ].join("\n"),
  );
});

test.each([
  [new UsageError("--page-size 0 is below 1"), "error: --page-size 0 is below 1"],
  [
    new UsageError("the first are:\na\x1b[31m\nDid you mean b?"),
    "error: the first are:\n  a\\x1b[31m\n  Did you mean b?",
  ],
  [new FileError("a\nb cannot be read", "a\nb"), "error: a\\nb cannot be read"],
  [new CredentialsError("no API key was found"), "error: no API key was found"],
  [
    new NetworkError("connection refused (after 6 attempts)"),
    "error: connection refused (after 6 attempts)\nCheck the address and the network, or run the command again later.\n" +
      "network · catalog explain network",
  ],
  [
    new ContractError("a page lacks `pagination`", "req-8"),
    "error: a page lacks `pagination`\n" +
      "Do not use the output. Report this to the operator of the service.\ncontract · request req-8 · catalog explain contract",
  ],
  [
    new SetChangedError("5 rows are missing"),
    "error: 5 rows are missing\nDo not use the output. Run the command again.\nset_changed · catalog explain set_changed",
  ],
  [new EmptyResultError("nothing matches the filters"), "error: nothing matches the filters"],
  [new FileError("rows.csv: the disk is full", "rows.csv"), "error: rows.csv: the disk is full"],
  [new InterruptedError("SIGINT"), "error: interrupted"],
])("%o is described in full", (error, text) => {
  expect(describeError(error)).toBe(text);
});

test.each([
  [new TypeError("x is not a function"), "x is not a function"],
  ["thrown text", "thrown text"],
])("an unexpected error (%s) asks for a report and hides its stack", (error, message) => {
  expect(describeError(error)).toBe(
    `error: unexpected failure: ${message}\n` +
      "This is a bug in catalog. Please report it with the command line and its output with --verbose.",
  );
});

test("an unexpected error shows its stack with --verbose", () => {
  expect(describeError(new TypeError("boom"), { verbose: true })).toMatch(/\n {4}at .*error-text\.test\.ts/);
});

test("colour is used if it is on", () => {
  expect(describeError(new UsageError("wrong", { suggestions: ["right"] }), { colour: true, command: ["right"] })).toBe(
    "\x1b[1m\x1b[31merror:\x1b[39m\x1b[22m wrong\nDid you mean right?\n  \x1b[1mright\x1b[22m",
  );
});

test("the JSON form is the service's problem document with the exit code", () => {
  expect(JSON.parse(errorAsJson(unknownRetailer, 2))).toEqual({ ...unknownRetailer.problem, exit_code: 2 });
});

test("the JSON form of a response without a problem document has the members that scripts test", () => {
  expect(JSON.parse(errorAsJson(badGateway, 5))).toEqual({
    type: "about:blank",
    title: "HTTP 502",
    status: 502,
    detail: "Bad Gateway (empty body) (after 6 attempts)",
    code: "http_error",
    retryable: true,
    exit_code: 5,
  });
});

test("the JSON form is completed from the error catalogue", () => {
  const error = new ApiError("gone", {
    status: 401,
    problem: { code: "invalid_credentials" },
    keyFlaw: "it is blank",
  });
  expect(JSON.parse(errorAsJson(error, 3))).toEqual({
    type: "about:blank",
    title: PROBLEMS.invalid_credentials.title,
    status: 401,
    detail: "gone",
    code: "invalid_credentials",
    retryable: false,
    recovery: PROBLEMS.invalid_credentials.recovery,
    key_flaw: "it is blank",
    exit_code: 3,
  });
});

test("the JSON form of a local error has the same shape", () => {
  const error = new UsageError("there is no format 'cvs'", { flag: "--format", value: "cvs", suggestions: ["csv"] });
  expect(JSON.parse(errorAsJson(error, 2))).toEqual({
    type: "about:blank",
    title: "Wrong usage",
    detail: "there is no format 'cvs'",
    code: "usage",
    retryable: false,
    field: "--format",
    valid_options: ["csv"],
    exit_code: 2,
  });
});

test("the JSON form is one line without control characters and with the same content", () => {
  const message = "a\nb\x1b\x9b\u202e\u2028\u{e0041}é";
  const line = errorAsJson(new CredentialsError(message), 3);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(line)).toMatchObject({ detail: message });
});

test("if no valid option is close to the refused value, some are named", () => {
  const refusal = (value: string) =>
    describeError(
      new ApiError("it is unknown", {
        status: 400,
        problem: { code: "unknown_category", valid_options: ["lamps", "chairs", "tables"] },
      }),
      { value },
    );
  expect(refusal("zzzzzz")).toContain("\nValid values include lamps, chairs, tables.\n");
  expect(refusal("lamp")).toContain("\nDid you mean lamps?\n");
});

test("ten suggestions are shown in full", () => {
  const suggestions = Array.from({ length: 10 }, (_, index) => `c${index}`);
  expect(describeError(new UsageError("no", { suggestions, value: "zzzzzz" }), { value: "zzzzzz" })).toBe(
    'error: "zzzzzz": no\nDid you mean c0, c1, c2, c3, c4, c5, c6, c7, c8, c9?',
  );
});

test("the commands that a text names are completed where the reader has seen the options", () => {
  const complete = (text: string) => text.replace("coverage", "coverage --demo");
  expect(describeError(unknownRetailer, { complete, value: "amazn-in" })).toContain(
    "\nList them: `catalog coverage --demo --group-by retailer`.\n",
  );
});

test("sentences are wrapped in a terminal, and command lines and facts are not broken", () => {
  const command = ["catalog", "coverage", "--retailer", "amazon-in"];
  expect(describeError(unknownRetailer, { command, value: "amazn-in", width: 24, colour: true })).toBe(
    [
      "\x1b[1m\x1b[31merror:\x1b[39m\x1b[22m no retailer is",
      'called "amazn-in"',
      "Did you mean amazon-in?",
      "  \x1b[1mcatalog coverage --retailer amazon-in\x1b[22m",
      "List them:",
      "`catalog coverage --group-by retailer`.",
      "\x1b[2munknown_retailer ·",
      "request req-7 ·",
      "catalog explain unknown_retailer\x1b[22m",
    ].join("\n"),
  );
  expect(describeError(new UsageError("it is:\none two three four five"), { width: 14 })).toBe(
    "error: it is:\n  one two\n  three four\n  five",
  );
});

test("a response that is no refusal is described by its error, not by the service", () => {
  const problem = { code: "internal", detail: "the detail" };
  const text = (status: number) => describeError(new ApiError("the message", { status, problem }));
  expect([text(500), text(400)].map((all) => all.split("\n")[0])).toEqual(["error: the message", "error: the detail"]);
});

test("an error without a message has its title, and one that names the value does not repeat it", () => {
  expect(describeError(new UsageError(""))).toBe("error: Wrong usage");
  expect(describeError(new UsageError("there is no x-y"), { value: "x-y" })).toBe("error: there is no x-y");
});

test("an expected error has no stack, and neither has what is no error", () => {
  expect(describeError(new UsageError("wrong"), { verbose: true })).toBe("error: wrong");
  expect(describeError("thrown text", { verbose: true }).split("\n")).toHaveLength(2);
  expect(describeError(new TypeError("boom"), { verbose: true })).not.toMatch(/TypeError/);
  const bare = Object.assign(new TypeError("boom"), { stack: undefined });
  expect(describeError(bare, { verbose: true })).toBe(describeError(bare));
  const hostile = Object.assign(new TypeError("boom"), { stack: "TypeError: boom\n    at \x1b[2J" });
  expect(describeError(hostile, { verbose: true })).toMatch(/\n {4}at \\x1b\[2J$/);
});

test.each([
  [408, true],
  [429, true],
  [428, false],
  [499, false],
  [500, true],
])("a response of status %i without a problem document can be retried: %s", (status, retryable) => {
  const error = new ApiError("failed", { status, problem: {} });
  expect(JSON.parse(errorAsJson(error, 5))).toMatchObject({ title: `HTTP ${status}`, retryable });
});

test("the JSON form of an error that breaks the contract has its request, if there was one", () => {
  expect(JSON.parse(errorAsJson(new ContractError("a page lacks `pagination`", "req-8"), 5))).toMatchObject({
    code: "contract",
    request_id: "req-8",
    recovery: "Do not use the output. Report this to the operator of the service.",
  });
  expect(JSON.parse(errorAsJson(new ContractError("a page lacks `pagination`"), 5))).not.toHaveProperty("request_id");
});

test("the JSON form of a local error has no empty members", () => {
  expect(JSON.parse(errorAsJson(new UsageError("wrong"), 2))).toEqual({
    type: "about:blank",
    title: "Wrong usage",
    detail: "wrong",
    code: "usage",
    retryable: false,
    exit_code: 2,
  });
  expect(JSON.parse(errorAsJson("thrown text", 1))).toMatchObject({ detail: "thrown text", code: "unexpected" });
  const file = JSON.parse(errorAsJson(new FileError("rows.csv: the disk is full", "rows.csv"), 1));
  expect(Object.keys(file)).not.toContain("field");
});

test("the JSON form escapes each half of a character beyond the first plane, in four digits", () => {
  expect(errorAsJson(new CredentialsError("\x9b\u{e0041}"), 3)).toContain('"detail":"\\u009b\\udb40\\udc41"');
});
