import { expect, test } from "vitest";
import { assertSendable, keyFlaw } from "../../src/client/key.ts";
import { CredentialsError } from "../../src/contract/errors.ts";
import { KEY } from "../helpers/test-client.ts";

test("a key of 43 characters has no flaw", () => {
  expect(keyFlaw(KEY)).toBeUndefined();
});

test.each([
  ["", "it is blank"],
  [" \n", "it is blank"],
  [`Bearer ${KEY}`, "it starts with the word `Bearer`, which the tool adds by itself"],
  [`  bearer\t${KEY}`, "it starts with the word `Bearer`, which the tool adds by itself"],
  [`my-bearer ${KEY}`, "it contains white space"],
  [`"${KEY}"`, "it is in quotes"],
  [` "${KEY}" `, "it is in quotes"],
  [`x"${KEY.slice(3)}"`, undefined],
  [`"${KEY.slice(3)}"x`, undefined],
  [`'${KEY}'\n`, "it is in quotes"],
  [`${KEY}\n`, "it contains a line break"],
  [` ${KEY}`, "it contains white space"],
  [`${KEY.slice(1)}\u0007`, "it contains a control character"],
  [`${KEY.slice(1)}é`, "it contains a character that is not ASCII"],
  [KEY.slice(1), "it has 42 characters instead of 43"],
  ["k", "it has 1 character instead of 43"],
])("the flaw of key %j is that %s", (key, flaw) => {
  expect(keyFlaw(key)).toBe(flaw);
});

test.each(["", "  ", `${KEY}\n`, `${KEY}\r\nx-other: 1`, `${KEY}\u0000`, `${KEY}→`])(
  "key %j is refused before any request, unprinted",
  (key) => {
    const error = new CredentialsError(`the API key of a file cannot be sent: ${keyFlaw(key)}.`);
    expect(() => assertSendable(key, "a file")).toThrow(error);
  },
);

test.each([KEY, "short", `Bearer ${KEY}`, `${KEY}é`])("key %j is sent for the service to judge", (key) => {
  expect(() => assertSendable(key, "a file")).not.toThrow();
});
