import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { setProfile } from "../../src/config/toml-edit.ts";

test.each([
  ["an empty file", "", "work", { api_key: "k" }, '[profiles.work]\napi_key = "k"\n'],
  ["a file without the table", "# mine\n\n\n", "work", { api_key: "k" }, '# mine\n\n[profiles.work]\napi_key = "k"\n'],
  ["a name that needs quotes", "", "my team", { api_key: "k" }, '[profiles."my team"]\napi_key = "k"\n'],
  ["names with underscores and hyphens", "", "a_b-1", { api_key: "k" }, '[profiles.a_b-1]\napi_key = "k"\n'],
  ["members without a value", "", "work", { api_key: undefined, base_url: "u" }, '[profiles.work]\nbase_url = "u"\n'],
  [
    "a member that stays, with its comment",
    '[profiles.work] # day\nbase_url = "u" # here\napi_key = "old"\n',
    "work",
    { base_url: "u", api_key: "new" },
    '[profiles.work] # day\nbase_url = "u" # here\napi_key = "new"\n',
  ],
  [
    "a member that is replaced, with its comment",
    '[profiles.work]\napi_key = "o#ld"  # of "day" # and night\n',
    "work",
    { api_key: "n#ew" },
    '[profiles.work]\napi_key = "n#ew"  # of "day" # and night\n',
  ],
  [
    "a member that goes",
    '[profiles.work]\napi_key = "old"\nbase_url = "u"\n',
    "work",
    { base_url: "u" },
    '[profiles.work]\nbase_url = "u"\n',
  ],
  [
    "a table between others, indented",
    '[profiles.a]\napi_key = "a"\n\n[profiles.work]\n# own\n\n  [profiles.b]\napi_key = "b"\n\n\n',
    "work",
    { api_key: "k" },
    '[profiles.a]\napi_key = "a"\n\n[profiles.work]\n# own\napi_key = "k"\n\n  [profiles.b]\napi_key = "b"\n\n\n',
  ],
  [
    "a file with Windows line ends",
    '# mine\r\n[profiles.work]\r\n# own\r\napi_key = "old"\r\n',
    "work",
    { api_key: "k" },
    '# mine\r\n[profiles.work]\r\n# own\r\napi_key = "k"\r\n',
  ],
  [
    "a table whose name is written in another way",
    '[ profiles . "work" ]\napi_key = "old"\n\n\n',
    "work",
    { api_key: "k" },
    '[ profiles . "work" ]\napi_key = "k"\n',
  ],
  [
    "a table that has brackets in its values",
    '[profiles.work]\nbase_url = "http://[::1]:80" # here\napi_key = "old"\n\n[b]\n',
    "work",
    { base_url: "http://[::1]:80" },
    '[profiles.work]\nbase_url = "http://[::1]:80" # here\n\n[b]\n',
  ],
  [
    "a comment without a line end",
    "[profiles.work]\n# mine",
    "work",
    { api_key: "k" },
    '[profiles.work]\n# mine\napi_key = "k"\n',
  ],
  ["a table without a last line end", '[profiles.work]\nbase_url = "u"', "work", {}, "[profiles.work]\n"],
])("only the lines of the profile change: %s", (_, text, name, values, expected) => {
  expect(setProfile(text, name, values)).toEqual({ text: expected, commentsLost: false });
});

test.each([
  ["an inline table", 'profiles = { work = { api_key = "old" } } # mine\n'],
  ["a dotted name", '# mine\nprofiles.work.api_key = "old"\n'],
  ["a value of several lines", '[profiles.work]\napi_key = """\nold""" # mine\n'],
  ["the lines of a table in a text", 'note = """\n[profiles.work]\n""" # mine\n[profiles.other]\n'],
])("the whole file is written anew where lines cannot be changed safely: %s", (_, text) => {
  const { profiles, ...rest } = parse(text) as { profiles: object };
  const edited = setProfile(text, "work", { api_key: "new", base_url: undefined });
  expect({ commentsLost: edited.commentsLost, hasComment: edited.text.includes("mine") }).toEqual({
    commentsLost: true,
    hasComment: false,
  });
  expect(parse(edited.text)).toEqual({ ...rest, profiles: { ...profiles, work: { api_key: "new" } } });
});
