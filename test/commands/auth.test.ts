import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestService } from "../helpers/service.ts";

/** A running service and a configuration file of the test's own, holding `toml` where that is given. */
async function setUp(toml?: (url: string) => string, mode = 0o600) {
  const service = await startTestService();
  const path = join(await temporaryFolder(), "catalog", "config.toml");
  if (toml !== undefined) {
    await mkdir(join(path, ".."));
    await writeFile(path, toml(service.url), { mode });
    await chmod(path, mode);
  }
  const auth = (args: string[], { stdin = "", env = {} }: { stdin?: string; env?: Record<string, string> } = {}) =>
    runInProcess(["auth", ...args], { stdin, env: { CATALOG_CONFIG: path, ...env } });
  return { ...service, path, auth, config: () => readFile(path, "utf8") };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe("auth login", () => {
  test("stores a piped key and the address in a new file that only the owner can read", async () => {
    const { auth, config, key, path, url } = await setUp();
    const result = await auth(["login", "--base-url", url], { stdin: `${key}\n` });
    expect(result).toEqual({ code: EXIT.ok, stdout: "", stderr: "" });
    expect(await config()).toBe(`[profiles.default]\nbase_url = "${url}/"\napi_key = "${key}"\n`);
    expect([await modeOf(path), await modeOf(join(path, ".."))]).toEqual([0o600, 0o700]);
  });

  test("stores a profile that other commands use", async () => {
    const { auth, key, path, url } = await setUp();
    await auth(["login", "--base-url", url, "--profile", "my team"], { stdin: key });
    const { code } = await runInProcess(["coverage", "--profile", "my team"], { env: { CATALOG_CONFIG: path } });
    expect(code).toBe(EXIT.ok);
  });

  test("removes the status feed of another service, with a warning", async () => {
    const { auth, config, key, url } = await setUp(
      () => '[profiles.default]\nbase_url = "https://a.example"\nstatus_url = "https://status.example"\n',
    );
    expect(await auth(["login", "--base-url", url], { stdin: key })).toMatchObject({
      code: EXIT.ok,
      stderr:
        "warning: removed the status_url https://status.example from profile default, because it was of another service.\n",
    });
    expect(await config()).toBe(`[profiles.default]\nbase_url = "${url}/"\napi_key = "${key}"\n`);
  });

  test("keeps other profiles and every comment", async () => {
    const { auth, config, key } = await setUp(
      (url) => `# mine
default_profile = "work"

[profiles.work] # day
# the old key
api_key = "old"
base_url = "${url}/"
status_url = "https://status.example"

# night
[profiles.other]
api_key_command = "pass show catalog"
`,
    );
    const before = await config();
    expect((await auth(["login"], { stdin: key })).code).toBe(EXIT.ok);
    expect(await config()).toBe(
      before.replace('api_key = "old"\n', "").replace("\n# night\n", `\n# night\napi_key = "${key}"\n`),
    );
  });

  test("rewrites a file that it cannot edit line by line, and warns that the comments are lost", async () => {
    const { auth, config, key, url } = await setUp(
      () => `profiles = { other = { base_url = "https://other.example" } } # kept?\n`,
    );
    const { stderr } = await auth(["login", "--base-url", url], { stdin: key });
    expect(stderr).toMatch(/^warning: the comments in \S+ could not be kept\.\n$/);
    const text = await config();
    expect(text).toContain('base_url = "https://other.example"');
    expect(text).toContain(`api_key = "${key}"`);
  });

  test("makes a file private that others can read, and says so", async () => {
    const { auth, key, path } = await setUp((url) => `[profiles.default]\nbase_url = "${url}"\n`, 0o644);
    const { stderr } = await auth(["login"], { stdin: key });
    expect(stderr).toMatch(
      /^warning: \S+config\.toml could be read by other users of this machine; now only you can read it\.\n$/,
    );
    expect(await modeOf(path)).toBe(0o600);
  });

  test("stores every profile when twelve are stored at the same time", async () => {
    const { auth, config, key } = await setUp();
    const names = Array.from({ length: 12 }, (_, number) => `team-${number}`);
    const results = await Promise.all(
      names.map((name) =>
        auth(["login", "--base-url", "http://127.0.0.1:1", "--no-check", "--profile", name], { stdin: key }),
      ),
    );
    expect(new Set(results.map(({ code, stderr }) => `${code}${stderr}`))).toEqual(new Set([`${EXIT.ok}`]));
    const text = await config();
    expect(names.filter((name) => !text.includes(`[profiles.${name}]`))).toEqual([]);
  });

  test("writes to the target of a symbolic link", async () => {
    const { auth, key, path, url } = await setUp(() => "");
    const link = join(path, "..", "link.toml");
    await symlink(path, link);
    await auth(["login", "--base-url", url], { stdin: key, env: { CATALOG_CONFIG: link } });
    expect(await readFile(path, "utf8")).toContain(key);
  });

  test("stores a command instead of the key after its output was checked", async () => {
    const { auth, config, key, path, url } = await setUp();
    const command = `printf '%s\\n' "${key}"`;
    const { code } = await auth(["login", "--base-url", url, "--api-key-command", command]);
    const { stdout } = await auth(["status", "-f", "json"]);
    expect({ code, config: await config() }).toEqual({
      code: EXIT.ok,
      config: expect.not.stringContaining("api_key ="),
    });
    expect(JSON.parse(stdout)).toMatchObject({ accepted: true, key_source: "api_key_command of profile default" });
    expect(await modeOf(path)).toBe(0o600);
  });

  test.each([
    ["a doubled Bearer", (key: string) => `Bearer ${key}`, "it starts with the word `Bearer`"],
    ["a truncated key", (key: string) => key.slice(0, 40), "it has 40 characters instead of 43"],
    ["spaces in the middle", (key: string) => key.replace(/.../, "a b"), "it contains white space"],
    ["nothing", () => "", "stdin is empty"],
    ["a file piped by mistake", (key: string) => key.repeat(2_000), "far too long"],
  ])("refuses %s before anything is sent or stored", async (_, mistake, message) => {
    const { auth, config, key } = await setUp();
    const { code, stderr } = await auth(["login", "--base-url", "http://127.0.0.1:1"], { stdin: mistake(key) });
    expect({ code, stderr }).toEqual({ code: EXIT.credentials, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain(key.slice(0, 20));
    await expect(config()).rejects.toThrow("ENOENT");
  });

  test("stores nothing if the service does not know the key, unless --no-check is set", async () => {
    const { auth, config, url } = await setUp();
    const unknown = "x".repeat(43);
    const checked = await auth(["login", "--base-url", url], { stdin: unknown });
    await expect(config()).rejects.toThrow("ENOENT");
    const unchecked = await auth(["login", "--base-url", url, "--no-check"], { stdin: unknown });
    expect({ checkedCode: checked.code, uncheckedCode: unchecked.code }).toEqual({
      checkedCode: EXIT.credentials,
      uncheckedCode: EXIT.ok,
    });
    expect(await config()).toContain(unknown);
  });

  test("warns if the environment overrides the stored key", async () => {
    const { auth, key, url } = await setUp();
    const { stderr } = await auth(["login", "--base-url", url], { stdin: key, env: { CATALOG_API_KEY: "other" } });
    expect(stderr).toBe("warning: CATALOG_API_KEY is set and is used instead of the stored key.\n");
  });
});

describe("auth status", () => {
  test("shows service, source and end of the key, scopes and rate limits", async () => {
    const { auth, key, path, url } = await setUp(() => "");
    await auth(["login", "--base-url", url], { stdin: key });
    const { code, stdout, stderr } = await auth(["status"]);
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      `service     ${url}/`,
      `profile     default (${path})`,
      `key         …${key.slice(-4)}, from profile default; this key is only sent to ${url}`,
      "accepted    yes",
      "scopes      catalog:sample yes, catalog:read yes",
      expect.stringMatching(/^rate limit {2}sample: 28 of 30 requests left for \d+ s$/),
      expect.stringMatching(/^rate limit {2}export, coverage: 118 of 120 requests left for \d+ s$/),
      "",
    ]);
  });

  test("shows the scopes that the key lacks", async () => {
    const { auth, createKey, url } = await setUp(() => "");
    const secret = await createKey({ name: "sample only", scopes: ["catalog:sample"] });
    const env = { CATALOG_API_KEY: secret, CATALOG_BASE_URL: url };
    const { code, stdout } = await auth(["status", "-f", "json"], { env });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      EXIT.ok,
      { key_source: "CATALOG_API_KEY", profile: null, scopes: { "catalog:sample": true, "catalog:read": false } },
    ]);
  });

  test("ends with 3 if the service refuses the key, after showing which key it is", async () => {
    const { auth, url } = await setUp(
      (address) => `[profiles.default]\nbase_url = "${address}"\napi_key = "${"y".repeat(39)}last"\n`,
    );
    const { code, stdout, stderr } = await auth(["status", "--base-url", url]);
    expect({ code, stderr }).toEqual({
      code: EXIT.credentials,
      stderr: expect.stringContaining("invalid_credentials"),
    });
    expect(stdout).toContain(
      `key         …last, from profile default; this key is only sent to ${url}\naccepted    no\n`,
    );
  });
});

describe("auth logout", () => {
  test("removes only the key", async () => {
    const { auth, config } = await setUp(
      () => '[profiles.default]\nbase_url = "https://a.example"\napi_key = "k" # mine\n\n[profiles.b]\napi_key = "b"\n',
    );
    expect((await auth(["logout"])).code).toBe(EXIT.ok);
    expect(await config()).toBe('[profiles.default]\nbase_url = "https://a.example"\n\n[profiles.b]\napi_key = "b"\n');
  });

  test("refuses a profile that is not there", async () => {
    const { auth } = await setUp(() => '[profiles.work]\nbase_url = "https://a.example"\napi_key = "k"\n');
    expect(await auth(["logout", "--profile", "wrok"])).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining('there is no profile "wrok" in '),
    });
  });

  test("says that it removed the command that prints the key", async () => {
    const { auth } = await setUp(() => '[profiles.default]\napi_key_command = "pass show catalog"\n');
    const { stderr } = await auth(["logout", "-v"]);
    expect(stderr).toContain("Removed the command that prints the key from profile default of ");
  });

  test("succeeds without a key and writes nothing", async () => {
    const { auth, config } = await setUp();
    expect((await auth(["logout"])).code).toBe(EXIT.ok);
    await expect(config()).rejects.toThrow("ENOENT");
  });
});

describe("api_key_command", () => {
  test("is not run from a file in a folder that other users can change, and storing it there gives a warning", async () => {
    const { auth, key, path, url } = await setUp(() => "");
    await chmod(join(path, ".."), 0o770);
    const ran = `${path}.ran`;
    const command = `echo x >> ${ran}; echo ${key}`;
    const stored = await auth(["login", "--base-url", url, "--api-key-command", command]);
    expect(stored).toMatchObject({
      code: EXIT.ok,
      stderr: expect.stringContaining(
        "the stored command will not be run: other users of this machine can change the folder",
      ),
    });
    const { code, stderr } = await auth(["status"]);
    expect({ code, stderr }).toEqual({
      code: EXIT.credentials,
      stderr: expect.stringContaining("is not run: other users"),
    });
    expect(await readFile(ran, "utf8")).toBe("x\n");
  });
});

describe("a key", () => {
  /** The environment that gives `text` as the key, by each way there is, and how errors name it. */
  async function sources(text: string) {
    const { url, key } = await setUp();
    const folder = await temporaryFolder();
    const file = join(folder, "key");
    await writeFile(file, text.replace("KEY", key));
    const profile = async (name: string, line: string) => {
      const config = join(folder, `${name}.toml`);
      await writeFile(config, `[profiles.default]\nbase_url = "${url}"\n${line}\n`, { mode: 0o600 });
      return { CATALOG_CONFIG: config };
    };
    const set = { CATALOG_BASE_URL: url };
    return [
      ["CATALOG_API_KEY", { ...set, CATALOG_API_KEY: text.replace("KEY", key) }],
      [`CATALOG_API_KEY_FILE (${file})`, { ...set, CATALOG_API_KEY_FILE: file }],
      ["profile default", await profile("key", `api_key = ${JSON.stringify(text.replace("KEY", key))}`)],
      ["api_key_command of profile default", await profile("command", `api_key_command = "cat ${file}"`)],
    ] as const;
  }

  test.each([" KEY\n\n", "KEY\r\n", "\tKEY \r"])("written as %j is trimmed, whatever its source", async (text) => {
    for (const [, env] of await sources(text)) {
      expect(await runInProcess(["coverage", "-q"], { env })).toMatchObject({ code: 0, stderr: "" });
    }
  });

  test("that cannot be sent, or looks wrong to the service, is told with its source", async () => {
    for (const [source, env] of await sources("KEY\nKEY")) {
      const { code, stderr } = await runInProcess(["coverage"], { env });
      expect({ code, stderr }).toEqual({
        code: EXIT.credentials,
        stderr: `error: the API key of ${source} cannot be sent: it contains a line break.\n`,
      });
    }
    for (const [source, env] of await sources("KEYx")) {
      const { code, stderr } = await runInProcess(["coverage"], { env });
      expect(code).toBe(EXIT.credentials);
      expect(stderr).toContain(`it has 44 characters instead of 43 (it comes from ${source})`);
    }
  });

  test("of a command that prints nothing or waits for too long is told so, not as a fault of the network", async () => {
    const { path, auth } = await setUp((url) => `[profiles.default]\nbase_url = "${url}"\napi_key_command = "echo"\n`);
    const silent = await auth(["status"]);
    await writeFile(path, (await readFile(path, "utf8")).replace("echo", "sleep 600"));
    const slow = await auth(["status", "--max-time", "1s"]);
    expect([silent, slow]).toMatchObject([
      { code: 3, stderr: expect.stringContaining("the api_key_command of profile default printed nothing") },
      { code: 5, stderr: "error: not done within the --max-time of 1 s\n" },
    ]);
  });
});
