import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT, InterruptedError } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { stallBeforeHeaders, startFaultServer } from "../helpers/fault-server.ts";
import { gate } from "../helpers/gate.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { type InterruptibleService, interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const ROWS = products(30);

const onEnd = afterAllTests();
let service: InterruptibleService;
beforeAll(async () => {
  service = await startInterruptibleService({ rows: ROWS, onEnd });
});

/** An export of six pages to rows.csv. */
async function exporting() {
  const rows = await interruptible("rows.csv", ["--page-size", "5"], service);
  return { ...rows, at: (name = "rows.csv") => join(rows.cwd, name) };
}

async function expectWhole({ cwd }: { cwd: string }) {
  const lines = (await readFile(join(cwd, "rows.csv"), "utf8")).trimEnd().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",")[1])).toEqual(ROWS.map(({ sku }) => sku));
  expect(await readdir(cwd)).toEqual(["rows.csv"]);
}

describe("an export to a file", () => {
  test("has a name that leaves room for those of the unfinished files", async () => {
    const cwd = await temporaryFolder();
    const longest = `${"ü".repeat(119)}abc`;
    const [fits, tooLong] = [longest, `${longest}d`].map((name) => ["export", "-f", "csv", "-o", join(cwd, name)]);
    expect((await runInProcess(fits as string[], { cwd, env: service.env })).code).toBe(EXIT.ok);
    const { code, stderr } = await runInProcess(tooLong as string[], { cwd, env: service.env });
    expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.failure,
      stderr: expect.stringContaining("the name is too long; it may have at most 241 bytes"),
    });
    expect(await readdir(cwd)).toEqual([longest]);
  });

  test("through a link that fails keeps its pages beside the target, and names them there", async () => {
    let pages = 0;
    const failing = await startTestService({
      rows: ROWS,
      faults: (store) => ({
        page: (...given) => {
          pages += 1;
          return pages > 3 ? Promise.reject(new Error("no more pages")) : store.page(...given);
        },
      }),
    });
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "share"));
    await symlink("share/rows.csv", join(cwd, "link.csv"));
    const args = ["export", "--page-size", "5", "--retries", "0", "-o", "./link.csv"];
    const { code, stderr } = await runInProcess(args, { cwd, service: failing });
    const [, kept = ""] = /^warning: (\S+) keeps what was read/m.exec(stderr) ?? [];
    expect({ code, kept }).toEqual({ code: EXIT.unavailable, kept: "share/rows.csv.partial.pages" });
    expect(await readdir(join(cwd, "share"))).toContain("rows.csv.partial.pages");
  });

  test("through links that lead to each other is refused", async () => {
    const cwd = await temporaryFolder();
    await symlink("b", join(cwd, "a"));
    await symlink("a", join(cwd, "b"));
    expect(await runInProcess(["export", "-o", "./a"], { cwd, env: service.env })).toMatchObject({
      code: EXIT.failure,
      stderr: "error: a: too many symbolic links\n",
    });
  });

  test("through a link needs that room for the name of the target, not of the link", async () => {
    const cwd = await temporaryFolder();
    const long = "a".repeat(242);
    await symlink(long, join(cwd, "short"));
    await symlink("fits", join(cwd, `${long}b`));
    const run = (name: string) =>
      runInProcess(["export", "-f", "csv", "-o", join(cwd, name)], { cwd, env: service.env });
    const { code, stderr } = await run("short");
    expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.failure,
      stderr: expect.stringContaining(`${long}: the name is too long; it may have at most 241 bytes`),
    });
    expect((await run(`${long}b`)).code).toBe(EXIT.ok);
    expect((await readdir(cwd)).sort()).toEqual([long.concat("b"), "fits", "short"]);
  });

  test.each([
    ["a folder", ".partial", (path: string) => mkdir(path)],
    ["a named pipe", ".partial", (path: string) => promisify(execFile)("mkfifo", [path])],
    ["a symbolic link", ".partial", (path: string) => symlink("victim", path)],
    ["a symbolic link", ".partial.json", (path: string) => symlink("victim", path)],
    ["a symbolic link", ".partial.pages", (path: string) => symlink("victim", path)],
    ["a symbolic link", ".partial.lock", (path: string) => symlink("victim", path)],
  ])(
    "refuses %s at FILE%s and leaves everything as it was",
    async (kind, suffix, make: (path: string) => Promise<unknown>) => {
      const cwd = await temporaryFolder();
      await writeFile(join(cwd, "victim"), "precious");
      await make(join(cwd, `rows.csv${suffix}`));
      for (const flags of [[], ["--resume"], ["--fresh"]]) {
        const { code, stderr } = await runInProcess(["export", "-o", "./rows.csv", ...flags], {
          cwd,
          env: service.env,
        });
        expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
          code: EXIT.failure,
          stderr: expect.stringContaining(`rows.csv${suffix} is ${kind}, but catalog needs a file of its own there`),
        });
      }
      expect({ content: await readFile(join(cwd, "victim"), "utf8"), files: await readdir(cwd) }).toEqual({
        content: "precious",
        files: [`rows.csv${suffix}`, "victim"],
      });
    },
  );

  test("does not follow a link in the place of the manifest", async () => {
    const { at, run } = await exporting();
    await writeFile(at("victim"), "precious");
    await symlink("victim", at("rows.csv.manifest.json"));
    const { code } = await run("--manifest");
    expect({ code, content: await readFile(at("victim"), "utf8") }).toEqual({ code: EXIT.ok, content: "precious" });
    expect(JSON.parse(await readFile(at("rows.csv.manifest.json"), "utf8"))).toMatchObject({ rows: ROWS.length });
  });

  test("is refused while another run writes it, and the error says to try again", async () => {
    const rows = await exporting();
    const { passed: asked, open: arrived } = gate();
    const slow = await startFaultServer(() => {
      arrived();
      return stallBeforeHeaders;
    });
    const stop = new AbortController();
    const first = runInProcess(["export", "-o", "./rows.csv"], {
      cwd: rows.cwd,
      service: slow,
      signal: stop.signal,
    });
    await asked;
    const { code, stderr } = await rows.run("--resume", "--error-format", "json");
    expect({ code, stderr: JSON.parse(stderr) }).toEqual({
      code: EXIT.unavailable,
      stderr: expect.objectContaining({
        code: "locked",
        retryable: true,
        detail: expect.stringContaining(`is being written by process ${process.pid} on`),
      }),
    });
    stop.abort(new InterruptedError("SIGINT"));
    expect((await first).code).toBe(EXIT.interrupted);
    expect((await rows.run()).code).toBe(EXIT.ok);
    await expectWhole(rows);
  });

  test("is whole if two processes write it at once, and the second process is refused with an error", async () => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 3);
    const runs = await Promise.all([1, 2].map(() => rows.runProcess("--resume")));
    const refused = runs.filter(({ code }) => code !== EXIT.ok);
    expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual(
      refused.map(() => [EXIT.unavailable, expect.stringContaining("is being written by process")]),
    );
    expect(refused.length).toBeLessThan(2);
    await expectWhole(rows);
  });

  test("does not replace a file with --no-clobber and leaves nothing beside it", async () => {
    const rows = await exporting();
    await writeFile(rows.at(), "earlier");
    const { code } = await rows.run("--no-clobber");
    expect({ code, files: await readdir(rows.cwd), content: await readFile(rows.at(), "utf8") }).toEqual({
      code: EXIT.failure,
      files: ["rows.csv"],
      content: "earlier",
    });
  });

  test("keeps the earlier file if nothing matches and --fail-on-empty is given", async () => {
    const rows = await exporting();
    await writeFile(rows.at(), "earlier");
    const { code } = await rows.run("--fail-on-empty", "--date", "1999-01-01");
    expect({ code, files: await readdir(rows.cwd), content: await readFile(rows.at(), "utf8") }).toEqual({
      code: EXIT.empty,
      files: ["rows.csv"],
      content: "earlier",
    });
  });
});
