import { access, chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resolveService } from "../../src/config/settings.ts";
import type { Context } from "../../src/context.ts";
import { CredentialsError } from "../../src/errors.ts";
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
    protect: () => undefined,
  } as unknown as Context;
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
    expect([fromEnv.baseUrl.href, fromEnv.profile, fromEnv.credential.apiKey]).toEqual([
      "https://env.example/",
      "staging",
      "from-env",
    ]);
    expect([fromFlag.baseUrl.href, fromFlag.profile]).toEqual(["https://flag.example/", "default"]);
  });

  test("run the key command of the profile and drop one line end", async () => {
    const { credential } = await resolveService({ ...none, profile: "staging" }, await contextWith(profiles));
    expect(credential).toEqual({
      apiKey: "secret-from-command",
      source: "api_key_command of profile staging",
      origin: "https://staging.example",
    });
  });

  test("warn of a file with a key that other users can read", async () => {
    const context = await contextWith(profiles);
    const path = join(context.folders.config, "config.toml");
    await chmod(path, 0o644);
    const { credential } = await resolveService(none, context);
    const warning = `${path} contains an API key, and other users of this machine can read it; run \`chmod 600 ${path}\``;
    expect(credential).toEqual({ apiKey: KEY, source: "profile default", origin: "https://default.example", warning });
  });

  test.each(["620", "602"])("never run a command that other users can change: mode %s", async (mode) => {
    const context = await contextWith(profiles);
    const path = join(context.folders.config, "config.toml");
    await writeFile(path, profiles.replace("printf", `touch ${path}.ran; printf`));
    await chmod(path, Number.parseInt(mode, 8));
    const refusal = resolveService({ ...none, profile: "staging" }, context);
    await expect(refusal).rejects.toThrow(/other users of this machine can change .* `chmod 600 /);
    await expect(refusal).rejects.toBeInstanceOf(CredentialsError);
    await expect(access(`${path}.ran`)).rejects.toThrow("ENOENT");
  });

  test("read the key file of the environment", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "key"), `${KEY}\n`);
    const env = { CATALOG_BASE_URL: "https://env.example", CATALOG_API_KEY_FILE: join(folder, "key") };
    const { credential } = await resolveService(none, await contextWith("", env));
    expect(credential.apiKey).toBe(KEY);
  });

  test("never send the key of a profile to another origin", async () => {
    const context = await contextWith(profiles);
    await expect(resolveService({ ...none, baseUrl: "https://other.example" }, context)).rejects.toThrow(
      "no API key for this service: the key of profile default is only sent to https://default.example.",
    );
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
    ["[profiles.default", /not valid TOML at line 1/],
    ["[profiles]\ndefault = 1", /profiles\.default .* must be a table/],
    ['[profiles.default]\napi_kee = "x"', /unknown key "api_kee"/],
    ["[profiles.default]\napi_key = 7", /api_key of profiles\.default .* must be a string/],
  ])("refuse a malformed file: %s", async (toml, message) => {
    await expect(resolveService(none, await contextWith(toml))).rejects.toThrow(message);
  });

  test("do not print a key on a malformed line", async () => {
    const context = await contextWith(`[profiles.default]\napi_key = "${KEY}`);
    await expect(resolveService(none, context)).rejects.toSatisfy((error: Error) => !error.message.includes(KEY));
  });

  test.each([
    ["ftp://x.example", /not an http or https URL/],
    ["not a url", /not an http or https URL/],
    ["user:secret@x.example", /must not contain a user name or password/],
    ["https://x.example/?a=1", /query or fragment/],
    ["https://user:secret@x.example", /must not contain a user name or password/],
  ])("refuse the address %s", async (baseUrl, message) => {
    const refusal = resolveService({ ...none, baseUrl }, await contextWith("", { CATALOG_API_KEY: KEY }));
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.not.toThrow(/secret/);
  });

  test.each([
    ["api.example.com/api", "https://api.example.com/api"],
    ["localhost:8787", "http://localhost:8787"],
    ["127.0.0.1:8787", "http://127.0.0.1:8787"],
  ])("suggest the missing scheme of %s", async (baseUrl, meant) => {
    const refusal = resolveService({ ...none, baseUrl }, await contextWith("", { CATALOG_API_KEY: KEY }));
    await expect(refusal).rejects.toMatchObject({ flag: "--base-url", value: baseUrl, suggestions: [meant] });
  });

  test("name the existing profiles if the requested one is missing", async () => {
    const refusal = resolveService({ ...none, profile: "stagin" }, await contextWith(profiles));
    await expect(refusal).rejects.toMatchObject({ suggestions: ["staging"], flag: "--profile", value: "stagin" });
  });

  test("say what to set if there is no service and no key", async () => {
    await expect(resolveService(none, await contextWith(""))).rejects.toThrow(
      /^No service is set up yet\. Run: catalog auth login\n.*--demo\n.*CATALOG_BASE_URL/,
    );
    const env = { CATALOG_BASE_URL: "https://env.example" };
    await expect(resolveService(none, await contextWith("", env))).rejects.toThrow(/no API key/);
  });

  test("report a configuration file that cannot be read", async () => {
    const context = await contextWith(profiles, { CATALOG_CONFIG: "/nonexistent/config.toml" });
    await expect(resolveService(none, context)).rejects.toThrow(/\/nonexistent\/config.toml cannot be read/);
  });
});
