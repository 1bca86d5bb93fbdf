import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

interface Setting {
  cwd: string;
  env: Record<string, string>;
}

/** Runs the built tool with stdout as the shell redirects it. */
async function runInto(target: ">/dev/full" | ">&-" | "| true" | "", args: readonly string[], { cwd, env }: Setting) {
  const script = target === "| true" ? `{ "$@"; echo "exit code $?" >&2; } | true` : `exec "$@" ${target}`;
  const child = spawn("sh", ["-c", script, "sh", process.execPath, CATALOG, ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, stderr };
}

const onEnd = afterAllTests();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ rows: [product()], onEnd });
});

async function setting(): Promise<Setting> {
  const cwd = await temporaryFolder();
  return { cwd, env: { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: service.key } };
}

const UNWRITABLE = [
  ["--help"],
  ["--version"],
  ["help", "formats"],
  ["explain"],
  ["completion", "bash"],
  ["__complete", "--", "exp"],
  ["status"],
  ["status", "-f", "json"],
  ["auth", "status"],
  ["coverage"],
  ["sample"],
  ["export"],
  ["export", "--dry-run"],
  ["sync", "./copy"],
  ["service", "keys", "list", "--database", "./service.db"],
];

const DISK_IS_FULL = { code: EXIT.failure, stderr: "error: stdout: the disk is full\n" };

/** Runs in this process with stdout on a device that takes nothing. */
async function runIntoFullDevice(args: readonly string[], here: Setting) {
  const stdout = createWriteStream("/dev/full");
  const { code, stderr } = await runInProcess(args, { ...here, stdout });
  return { code, stderr };
}

describe("stdout that cannot be written", () => {
  test.each(UNWRITABLE.map((args) => [args]))("%j ends with exit code 1 and an error message", async (args) => {
    const here = await setting();
    if (args.includes("list")) {
      const created = await runInProcess(["service", "keys", "create", "a", "--database", "./service.db"], here);
      expect(created.code).toBe(EXIT.ok);
    }
    expect(await runIntoFullDevice(args, here)).toEqual(DISK_IS_FULL);
  });

  test("the built tool ends with exit code 1 and an error message, too", async () => {
    expect(await runInto(">/dev/full", ["export"], await setting())).toEqual(DISK_IS_FULL);
  });

  test.each([
    [">/dev/full", DISK_IS_FULL],
    // The exit code is that of `true`, which ends at once.
    ["| true", { code: EXIT.ok, stderr: "exit code 0\n" }],
  ] as const)("a service that is started with %s ends, too", async (target, ended) => {
    const here = await setting();
    expect(await runInto(target, ["service", "start", "--port", "0", "--database", "./service.db"], here)).toEqual(
      ended,
    );
  });

  test("verify ends with exit code 1, too", async () => {
    const here = await setting();
    expect(await runInProcess(["export", "-o", "./rows.csv", "--manifest"], here)).toMatchObject({ code: EXIT.ok });
    expect(await runIntoFullDevice(["verify", "./rows.csv"], here)).toEqual(DISK_IS_FULL);
  });

  test.each([
    ["the device is full", () => ({ stdout: createWriteStream("/dev/full") })],
    ["stdout is closed", () => ({ isStdoutClosed: () => true })],
  ])("a key is deleted if its secret cannot be written because %s", async (_, fault) => {
    const here = await setting();
    const create = ["service", "keys", "create", "laptop", "--database", "./service.db"];
    const { code, stdout, stderr } = await runInProcess(create, { ...here, ...fault() });
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.failure,
      stdout: "",
      stderr: expect.stringMatching(/secret/),
    });
    const again = await runInProcess(create, here);
    expect(again).toMatchObject({ code: EXIT.ok, stdout: expect.stringMatching(/^[\w-]{43}\n$/) });
    const list = await runInProcess(["service", "keys", "list", "--database", "./service.db", "-f", "json"], here);
    expect(JSON.parse(list.stdout)).toHaveLength(1);
  });
});

describe("stdout that is closed", () => {
  test.runIf(process.platform === "linux")("export ends with exit code 1 before it requests a row", async () => {
    const { code, stderr } = await runInto(">&-", ["export", "--verbose"], await setting());
    expect(code).toBe(EXIT.failure);
    expect(stderr).toBe("error: stdout is closed, so the rows would be lost; use --output FILE\n");
  });

  test("a list is not refused, because other programs open /dev/null the same way to ask for the exit code alone", async () => {
    expect(await runInto("", ["coverage", "--fail-if", "matching_rows > 0"], await setting())).toMatchObject({
      code: EXIT.condition,
      stderr: expect.stringContaining("matching_rows > 0"),
    });
  });

  test("a command that writes to a file is not refused", async () => {
    const here = await setting();
    expect(
      await runInProcess(["export", "-o", "./rows.csv"], {
        ...here,
        isStdoutClosed: () => true,
      }),
    ).toMatchObject({ code: EXIT.ok, stderr: "" });
  });
});

describe("service keys create --output", () => {
  const create = (...flags: string[]) => ["service", "keys", "create", "laptop", "--database", "./s.db", ...flags];

  test("writes the secret to a file that only its owner can read", async () => {
    const here = await setting();
    expect(await runInProcess(create("--output", "./key"), here)).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const path = join(here.cwd, "key");
    expect(await readFile(path, "utf8")).toMatch(/^[\w-]{43}\n$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("refuses to replace a file, and creates no key", async () => {
    const here = await setting();
    await runInProcess(create("--output", "./key"), here);
    const before = await readFile(join(here.cwd, "key"), "utf8");
    expect(
      await runInProcess(["service", "keys", "create", "other", "--database", "./s.db", "-o", "./key"], here),
    ).toMatchObject({ code: EXIT.failure, stderr: "error: key: something else has that name\n" });
    expect(await readFile(join(here.cwd, "key"), "utf8")).toBe(before);
    const { stdout } = await runInProcess(["service", "keys", "list", "--database", "./s.db", "-f", "json"], here);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });
});

describe("a name that is too long", () => {
  test.each([
    [238, "1 byte"],
    [240, "3 bytes"],
  ])("for a manifest beside it (%i bytes) is refused before any row is requested", async (length, excess) => {
    const here = await setting();
    const { code, stderr } = await runInProcess(["export", "-v", "-o", `./${"a".repeat(length)}`, "--manifest"], here);
    expect({ code, stderr: stderr.replace(/a{200,}/, "NAME") }).toEqual({
      code: EXIT.failure,
      stderr: `error: NAME: the name is ${excess} too long for a manifest beside it\n`,
    });
  });
});
