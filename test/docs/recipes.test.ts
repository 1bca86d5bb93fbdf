import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { addDays, dayOf } from "../../src/contract/values/day-arithmetic.ts";
import { CATALOG, runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const page = await readFile("docs/recipes.md", "utf8");
const [slices = "", morning = ""] = blocksOf("crontab");
const [script = "", alert = "", report = ""] = blocksOf("sh");
const yesterday = addDays(dayOf(Date.now()), -1);

const onEnd = afterAllTests();
/** The home folder of somebody who has installed the tool and stored a key. */
let home: string;
let bin: string;
let url: string;

beforeAll(async () => {
  const rows = Array.from({ length: 10 }, (_, ago) =>
    product({ crawl_date: addDays(yesterday, -ago), sku: "lamp", selling_price: ago === 0 ? 7 : 15 }),
  );
  const service = await startTestService({ rows, onEnd });
  url = service.url;
  home = await temporaryFolder(onEnd);
  bin = join(home, "bin");
  for (const folder of ["bin", "slices", "prices", "reports"]) {
    await mkdir(join(home, folder));
  }
  await symlink(CATALOG, join(bin, "catalog"));
  await symlink(process.execPath, join(bin, "node"));
  await writeExecutable(join(bin, "mail"), `#!/bin/sh\ncat >"${home}/mail"\necho "$*" >>"${home}/subjects"\n`);
  await writeFile(join(home, "key"), service.key, { mode: 0o600 });
  await writeExecutable(join(home, "morning.sh"), script);
  const env = { HOME: home, XDG_CONFIG_HOME: "" };
  const login = await runCatalog(["auth", "login", "--base-url", url], { env, stdin: service.key });
  expect(login).toMatchObject({ code: 0 });
});

test("the crontab with a slice of each day writes yesterday's", async () => {
  expect(await runCron(slices)).toEqual({ code: 0, output: "" });
  expect(await readdir(join(home, "slices"))).toEqual([`${yesterday}.ndjson.gz`]);
});

test("the crontab with the morning report writes its files, and prints nothing that cron would mail", async () => {
  expect(await runCron(morning)).toEqual({ code: 0, output: "" });
  const files = (await readdir(join(home, "prices"))).sort();
  expect(files).toEqual(["drops.csv", "fresh.md", "morning.log", "new.csv", "rows"]);
  expect(await readFile(join(home, "prices", "drops.csv"), "utf8")).toContain("drop,acme,lamp");
});

test("the alert and the report of the morning are mailed", async () => {
  const cwd = join(home, "prices");
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home };
  expect(await runShell(`catalog sync -q rows\n${alert}`, { env, cwd })).toEqual({
    code: 0,
    output: "error: 1 product fell more than 15 %: acme lamp\n",
  });
  expect(await readFile(join(home, "mail"), "utf8")).toContain("drop,acme,lamp");
  const here = report.replaceAll("/srv/reports", join(home, "reports"));
  const said = { code: 0, output: expect.stringMatching(/^Up to date: nothing new .*\n$/) };
  expect(await runShell(here, { env, cwd })).toEqual(said);
  expect(await readdir(join(home, "reports"))).toEqual(["prices.html"]);
  expect(await readFile(join(home, "subjects"), "utf8")).toBe(
    "-s prices fell ada@example.com\n-s prices this morning team@example.com\n",
  );
});

function blocksOf(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);
}

async function writeExecutable(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await chmod(path, 0o755);
}

/** Runs the job of a crontab as cron does: by sh, with little more than the variables that the crontab sets. */
async function runCron(crontab: string) {
  const lines = crontab.trim().split("\n");
  const job =
    lines
      .at(-1)
      ?.replace(/^(\S+ ){5} */, "")
      .replaceAll("\\%", "%") ?? "";
  const set = lines.slice(0, -1).map((line) => /^(\w+)=(.*)$/.exec(line) ?? []);
  const values = Object.fromEntries(set.map(([, name = "", value = ""]) => [name, value]));
  // Where the tool, the key and the service are on this machine.
  const PATH = values.PATH?.replace("/usr/local/bin", bin) ?? "/usr/bin:/bin";
  const here = {
    ...("CATALOG_API_KEY_FILE" in values && { CATALOG_API_KEY_FILE: join(home, "key") }),
    ...("CATALOG_BASE_URL" in values && { CATALOG_BASE_URL: url }),
  };
  return await runShell(job, { env: { HOME: home, ...values, PATH, ...here }, cwd: home });
}

async function runShell(command: string, { env, cwd }: { env: Record<string, string>; cwd: string }) {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, output: stdout + stderr };
}
