import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { knownKeys } from "../../src/config/credentials.ts";
import { resolveService, resolveStatusUrl } from "../../src/config/settings.ts";
import { CredentialsError, FileError, UsageError } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const KEY = "k".repeat(43);
const none = { baseUrl: undefined, profile: undefined };

async function contextWith(toml: string, env: Record<string, string> = {}): Promise<Context> {
  const folder = await temporaryFolder();
  if (toml !== "") {
    await writeFile(join(folder, "config.toml"), toml, { mode: 0o600 });
  }
  const folders = { config: folder, data: folder, cache: folder };
  return {
    env: { PATH: process.env.PATH, ...env },
    folders,
    signal: new AbortController().signal,
    platform: process.platform,
    userId: process.geteuid?.(),
    kill: (pid: number, name: NodeJS.Signals) => void process.kill(pid, name),
    protect: () => undefined,
  } as unknown as Context;
}

function configFileOf({ folders }: Context): string {
  return join(folders.config ?? "", "config.toml");
}

const profiles = `
[profiles.default]
base_url = "https://default.example/api"
api_key = "${KEY}"

[profiles.staging]
base_url = "https://staging.example"
api_key_command = "printf '%s\\\\n' secret-from-command"
`;

describe("the service's settings", () => {
  test("come from the default profile if nothing else is given", async () => {
    const settings = await resolveService(none, await contextWith(profiles));
    expect(settings).toEqual({
      baseUrl: new URL("https://default.example/api"),
      credential: { apiKey: KEY, source: "profile default", origin: "https://default.example" },
      profile: "default",
    });
  });

  test("prefer the flag to the environment and the environment to the profile", async () => {
    const env = { CATALOG_BASE_URL: "https://env.example", CATALOG_API_KEY: "from-env", CATALOG_PROFILE: "staging" };
    const context = await contextWith(profiles, env);
    const fromEnv = await resolveService(none, context);
    const fromFlag = await resolveService({ baseUrl: "https://flag.example", profile: "default" }, context);
    expect({ baseUrl: fromEnv.baseUrl.href, profile: fromEnv.profile, credential: fromEnv.credential }).toEqual({
      baseUrl: "https://env.example/",
      profile: "staging",
      credential: { apiKey: "from-env", source: "CATALOG_API_KEY" },
    });
    expect({ baseUrl: fromFlag.baseUrl.href, profile: fromFlag.profile }).toEqual({
      baseUrl: "https://flag.example/",
      profile: "default",
    });
  });

  test("run the key command of the profile", async () => {
    const { credential } = await resolveService({ ...none, profile: "staging" }, await contextWith(profiles));
    expect(credential).toEqual({
      apiKey: "secret-from-command",
      source: "api_key_command of profile staging",
      origin: "https://staging.example",
    });
  });

  test("warn of a file with a key that other users can read", async () => {
    const context = await contextWith(profiles);
    const path = configFileOf(context);
    await chmod(path, 0o644);
    const { credential } = await resolveService(none, context);
    const warning = `${path} contains an API key, and other users of this machine can read it; run \`chmod 600 ${path}\``;
    expect(credential).toEqual({ apiKey: KEY, source: "profile default", origin: "https://default.example", warning });
  });

  test.each([
    ["640", "read"],
    ["660", "change"],
    ["602", "change"],
  ])("say what others can do with a file of the mode %s: %s it", async (mode, what) => {
    const context = await contextWith(profiles);
    const path = configFileOf(context);
    await chmod(path, Number.parseInt(mode, 8));
    const { credential } = await resolveService(none, context);
    expect(credential.warning).toContain(`other users of this machine can ${what} it; `);
  });

  test("warn of a file with a command that other users can read", async () => {
    const context = await contextWith(profiles);
    const path = configFileOf(context);
    await chmod(path, 0o644);
    const { credential } = await resolveService({ ...none, profile: "staging" }, context);
    expect(credential.warning).toMatch(/ contains an api_key_command, and other users of this machine can read it; /);
  });

  test("protect the key, and refuse a key file that cannot be read", async () => {
    const protectedKeys: string[] = [];
    const context = { ...(await contextWith(profiles)), protect: (secret: string) => void protectedKeys.push(secret) };
    await resolveService(none, context);
    expect(protectedKeys).toEqual([KEY]);
    const path = join(context.folders.config ?? "", "missing");
    const refusal = resolveService(none, await contextWith(profiles, { CATALOG_API_KEY_FILE: path }));
    await expect(refusal).rejects.toThrow(`CATALOG_API_KEY_FILE cannot be read: ${path}: no such file or folder`);
    await expect(refusal).rejects.toBeInstanceOf(FileError);
  });

  test("read the key file of the environment", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "key"), `${KEY}\n`);
    const env = { CATALOG_BASE_URL: "https://env.example", CATALOG_API_KEY_FILE: join(folder, "key") };
    const { credential } = await resolveService(none, await contextWith("", env));
    expect(credential).toEqual({ apiKey: KEY, source: `CATALOG_API_KEY_FILE (${join(folder, "key")})` });
    expect((await resolveService(none, await contextWith(profiles, env))).credential).toEqual(credential);
  });

  test("never send the key of a profile to another origin", async () => {
    const context = await contextWith(profiles);
    await expect(resolveService({ ...none, baseUrl: "https://other.example" }, context)).rejects.toThrow(
      "no API key for this service: the key of profile default is only sent to https://default.example. Set " +
        "CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store a key in another profile with " +
        "`catalog auth login --profile NAME`.",
    );
    const command = resolveService({ baseUrl: "https://other.example", profile: "staging" }, context);
    await expect(command).rejects.toThrow("the key of profile staging is only sent to https://staging.example.");
    for (const baseUrl of [
      "http://default.example",
      "https://default.example:8443",
      "https://default.example.evil.example",
    ]) {
      await expect(resolveService({ ...none, baseUrl }, context)).rejects.toThrow("no API key for this service");
    }
    const samePlace = await resolveService({ ...none, baseUrl: "https://default.example/v2" }, context);
    expect(samePlace.credential.apiKey).toBe(KEY);
  });

  test.each([
    ["[profiles.default", "the configuration file PATH is not valid TOML at line 1, column 2."],
    ["profiles = 7", "the configuration file PATH must contain tables named [profiles.NAME]."],
    ["profiles = 2026-01-01", "the configuration file PATH must contain tables named [profiles.NAME]."],
    ["[[profiles]]", "the configuration file PATH must contain tables named [profiles.NAME]."],
    ["[profiles]\ndefault = 1", "profiles.default in PATH must be a table: [profiles.default]."],
    ["[[profiles.default]]", "profiles.default in PATH must be a table: [profiles.default]."],
    [
      '[profiles.default]\napi_kee = "x"',
      'profiles.default in PATH has an unknown key "api_kee"; the keys are base_url, api_key, api_key_command, status_url.',
    ],
    ["[profiles.default]\napi_key = 7", "api_key of profiles.default in PATH must be a string in quotes."],
  ])("refuse a malformed file: %s", async (toml, message) => {
    const context = await contextWith(toml);
    const path = configFileOf(context);
    await expect(resolveService(none, context)).rejects.toStrictEqual(new UsageError(message.replace("PATH", path)));
  });

  test("do not print a key on a malformed line", async () => {
    const context = await contextWith(`[profiles.default]\napi_key = "${KEY}`);
    await expect(resolveService(none, context)).rejects.toSatisfy((error: Error) => !error.message.includes(KEY));
  });

  const expected = "expected an address such as https://api.example.com or http://127.0.0.1:8787/api";
  const noUser = "--base-url must not contain a user name or password; the API takes a key, see `catalog auth --help`.";

  test.each([
    ["ftp://x.example", `--base-url "ftp://x.example" is not an http or https URL; ${expected}.`, []],
    ["not a url", `--base-url "not a url" is not an http or https URL; ${expected}.`, []],
    ["://x", `--base-url "://x" is not an http or https URL; ${expected}.`, []],
    ["https://x.example/?a=1", `--base-url "https://x.example/?a=1" has a query or fragment; ${expected}.`, undefined],
    ["https://x.example/#a", `--base-url "https://x.example/#a" has a query or fragment; ${expected}.`, undefined],
  ])("refuse the address %s", async (baseUrl, message, suggestions) => {
    const refusal = resolveService({ ...none, baseUrl }, await contextWith("", { CATALOG_API_KEY: KEY }));
    await expect(refusal).rejects.toMatchObject({
      message,
      flag: "--base-url",
      value: baseUrl,
      ...(suggestions && { suggestions }),
    });
  });

  test.each([
    "user:secret@x.example",
    "ftp://secret@x.example",
    "https://user:secret@x.example",
    "https://secret@x.example",
    "https://:secret@x.example",
  ])("refuse the address %s, which may have a password, without repeating it", async (baseUrl) => {
    const refusal = resolveService({ ...none, baseUrl }, await contextWith("", { CATALOG_API_KEY: KEY }));
    await expect(refusal).rejects.toStrictEqual(new UsageError(noUser));
    await expect(refusal).rejects.toSatisfy((error: Error) => !JSON.stringify({ ...error }).includes("secret"));
  });

  test("take an @ in a path for no user", async () => {
    const baseUrl = "https://x.example/@me";
    const settings = await resolveService({ ...none, baseUrl }, await contextWith("", { CATALOG_API_KEY: KEY }));
    expect(settings.baseUrl.href).toBe(baseUrl);
  });

  test.each([
    ["api.example.com/api", "https://api.example.com/api"],
    ["localhost:8787", "http://localhost:8787"],
    ["127.0.0.1:8787", "http://127.0.0.1:8787"],
    ["[::1]:8787", "http://[::1]:8787"],
    ["api.localhost/127.0.0.1", "https://api.localhost/127.0.0.1"],
  ])("suggest the missing scheme of %s", async (baseUrl, meant) => {
    const refusal = resolveService({ ...none, baseUrl }, await contextWith("", { CATALOG_API_KEY: KEY }));
    await expect(refusal).rejects.toMatchObject({ flag: "--base-url", value: baseUrl, suggestions: [meant] });
  });

  test("name the existing profiles if the requested one is missing", async () => {
    const context = await contextWith(profiles);
    const path = configFileOf(context);
    const refusal = resolveService({ ...none, profile: "stagin" }, context);
    await expect(refusal).rejects.toThrow(`there is no profile "stagin" in ${path}; it has default, staging.`);
    await expect(refusal).rejects.toMatchObject({ suggestions: ["staging"], flag: "--profile", value: "stagin" });
  });

  test.each([
    ["the configured one", 'default_profile = "gone"\n[profiles.a]\n', {}, 'no profile "gone" in PATH; it has a.'],
    ["that of the environment", "", { CATALOG_PROFILE: "gone" }, 'no profile "gone" in PATH; it has none.'],
  ])("refuse a profile that is missing: %s", async (_, toml, env, message) => {
    const context = await contextWith(toml, env);
    const path = configFileOf(context);
    const refusal = resolveService(none, context);
    await expect(refusal).rejects.toThrow(message.replace("PATH", path));
    await expect(refusal).rejects.not.toHaveProperty("flag", "--profile");
  });

  test("come from the configured default profile, and not from one that is only named default", async () => {
    const toml = `default_profile = "work"\n${profiles}\n[profiles.work]\nbase_url = "https://work.example"\napi_key = "w"\n`;
    const { baseUrl, profile, credential } = await resolveService(none, await contextWith(toml));
    expect({ baseUrl: baseUrl.href, profile, apiKey: credential.apiKey }).toEqual({
      baseUrl: "https://work.example/",
      profile: "work",
      apiKey: "w",
    });
  });

  test.each([
    ["default_profile = 7\n", "default_profile in PATH must be a string in quotes."],
    [
      'base_url = "https://a.example"\n',
      'PATH has an unknown key "base_url"; it may have default_profile, and base_url,',
    ],
    ['[default]\nbase_url = "https://a.example"\n', 'PATH has an unknown key "default"; it may have'],
  ])("refuse what the file should not have: %j", async (toml, message) => {
    const context = await contextWith(`${toml}${profiles}`);
    await expect(resolveService(none, context)).rejects.toThrow(message.replace("PATH", configFileOf(context)));
  });

  test("name a profile that has no address, and how to give it one", async () => {
    const context = await contextWith('[profiles.work]\napi_key = "k"\n', { CATALOG_PROFILE: "work" });
    await expect(resolveService(none, context)).rejects.toThrow(
      `The profile "work" of ${configFileOf(context)} has no base_url. Run: catalog auth login --profile work`,
    );
  });

  test("take empty variables for none", async () => {
    const env = {
      CATALOG_API_KEY: "",
      CATALOG_API_KEY_FILE: "",
      CATALOG_BASE_URL: "",
      CATALOG_PROFILE: "",
      CATALOG_CONFIG: "",
    };
    const { baseUrl, profile, credential } = await resolveService(none, await contextWith(profiles, env));
    expect({ baseUrl: baseUrl.href, profile, apiKey: credential.apiKey }).toEqual({
      baseUrl: "https://default.example/api",
      profile: "default",
      apiKey: KEY,
    });
  });

  test("send the key of a profile without an address to the service that is asked for", async () => {
    const context = await contextWith(`[profiles.default]\napi_key = "${KEY}"\n`);
    const { credential } = await resolveService({ ...none, baseUrl: "https://any.example" }, context);
    expect(credential).toEqual({ apiKey: KEY, source: "profile default" });
  });

  test("say what to set if there is no service and no key", async () => {
    await expect(resolveService(none, await contextWith(""))).rejects.toThrow(
      "No service is set up yet. Run: catalog auth login\nWithout an account, try: catalog coverage --demo\n" +
        "In a script, set CATALOG_BASE_URL and CATALOG_API_KEY_FILE.",
    );
    const env = { CATALOG_BASE_URL: "https://env.example" };
    const noKey = new CredentialsError(
      "no API key: set CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store one with `catalog auth login`. " +
        "Without an account, try --demo.",
    );
    await expect(resolveService(none, await contextWith("", env))).rejects.toThrow(noKey);
    const withoutKey = await contextWith('[profiles.default]\nbase_url = "https://default.example"\n', env);
    await expect(resolveService(none, withoutKey)).rejects.toThrow(noKey);
    const named = await contextWith('[profiles."my team"]\nbase_url = "https://team.example"\n');
    await expect(resolveService({ ...none, profile: "my team" }, named)).rejects.toThrow(
      "store one with `catalog auth login --profile 'my team'`.",
    );
  });

  test("report a configuration file that cannot be read, unless it is missing and was not asked for", async () => {
    const context = await contextWith(profiles, { CATALOG_CONFIG: "/nonexistent/config.toml" });
    await expect(resolveService(none, context)).rejects.toThrow(
      "the configuration file cannot be read: /nonexistent/config.toml: no such file or folder",
    );
    const folder = await contextWith("");
    await mkdir(configFileOf(folder));
    await expect(resolveService(none, folder)).rejects.toThrow(": it is a folder, not a file");
  });
});

describe("the address of the status feed", () => {
  const STATUS_URL = 'status_url = "https://status.example/feed.json"\n';
  const stored = `[profiles.default]\nbase_url = "https://a.example/api//"\n`;
  const flags = { statusUrl: undefined, ...none };

  test.each([
    [
      "of the flag",
      { statusUrl: "https://flag.example/s" },
      { CATALOG_STATUS_URL: "https://e.example" },
      "https://flag.example/s",
    ],
    ["of the environment", {}, { CATALOG_STATUS_URL: "https://e.example/s" }, "https://e.example/s"],
    ["of the profile", {}, { CATALOG_STATUS_URL: "" }, "https://status.example/feed.json"],
    ["below another service", { baseUrl: "https://b.example" }, {}, "https://b.example/status.json"],
    ["below that of the environment", {}, { CATALOG_BASE_URL: "https://b.example" }, "https://b.example/status.json"],
    [
      "of the profile, whose service is named again",
      {},
      { CATALOG_BASE_URL: "https://a.example/api" },
      "https://status.example/feed.json",
    ],
  ])("is that %s", async (_, given, env, expected) => {
    const context = await contextWith(stored + STATUS_URL, env);
    expect((await resolveStatusUrl({ ...flags, ...given }, context)).href).toBe(expected);
  });

  test("is below the service if none is set", async () => {
    expect((await resolveStatusUrl(flags, await contextWith(stored))).href).toBe("https://a.example/api/status.json");
    const withoutProfile = await contextWith("", { CATALOG_BASE_URL: "https://e.example" });
    expect((await resolveStatusUrl(flags, withoutProfile)).href).toBe("https://e.example/status.json");
  });

  test.each([
    [{ statusUrl: "x y" }, {}, '--status-url "x y" is not'],
    [{}, { CATALOG_STATUS_URL: "x y" }, 'CATALOG_STATUS_URL "x y" is not'],
    [{}, {}, 'status_url of the profile "x y" is not'],
  ])("is named by its source if it is wrong: %j %j", async (given, env, message) => {
    const context = await contextWith(`${stored}status_url = "x y"\n`, env);
    await expect(resolveStatusUrl({ ...flags, ...given }, context)).rejects.toThrow(message);
  });
});

test.each([
  [{ CATALOG_BASE_URL: "x y" }, 'CATALOG_BASE_URL "x y" is not'],
  [{}, 'base_url of the profile "z z" is not'],
  [{ CATALOG_BASE_URL: "https://e.example" }, 'base_url of the profile "z z" is not'],
])("an address of the service that is wrong is named by its source: %j", async (env, message) => {
  const context = await contextWith('[profiles.default]\nbase_url = "z z"\n', env);
  await expect(resolveService(none, context)).rejects.toThrow(message);
});

test("all keys are known: those of the environment, of its file and of every profile", async () => {
  const toml = '[profiles.a]\napi_key = "from-a"\n[profiles.b]\nbase_url = "u"\n[profiles.c]\napi_key = "from-c"\n';
  const context = await contextWith(toml, { CATALOG_API_KEY: "from-env" });
  const file = join(context.folders.config ?? "", "key");
  await writeFile(file, "from-file\n");
  const env = { ...context.env, CATALOG_API_KEY_FILE: file };
  expect(await knownKeys({ ...context, env })).toEqual(["from-env", "from-file", "from-a", "from-c"]);
  expect(
    await knownKeys({ ...context, env: { ...env, CATALOG_API_KEY: "", CATALOG_API_KEY_FILE: "/nonexistent" } }),
  ).toEqual(["from-a", "from-c"]);
  expect(await knownKeys(await contextWith("[", { CATALOG_API_KEY: "from-env" }))).toEqual(["from-env"]);
});
