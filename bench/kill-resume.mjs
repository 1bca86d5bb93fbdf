// Kills an export at random instants, resumes it each time until it is done, and compares the file with that of an
// undisturbed run. `node bench/kill-resume.mjs [KILLS]`, after a build; prints one line a format.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CATALOG = process.env.CATALOG ?? fileURLToPath(new URL("../dist/catalog.js", import.meta.url));
const KILLS = Number(process.argv[2] ?? 200);
const NAMES = ["rows.ndjson", "rows.csv", "rows.tsv", "rows.json", "rows.ndjson.gz", "rows.parquet"];

const folder = await mkdtemp(join(tmpdir(), "catalog-kills-"));
const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder };
let service;
try {
  service = await startService();
  for (const [index, name] of NAMES.entries()) {
    await prove(name, Math.ceil((KILLS - index) / NAMES.length));
  }
} finally {
  service?.kill();
  await rm(folder, { recursive: true, force: true });
}

async function startService() {
  const database = join(folder, "catalog.db");
  const rows = join(folder, "demo.ndjson");
  await run(["export", "--demo", "--max-rows", "4000", "-o", rows]).ended;
  await run(["service", "load", rows, "--database", database]).ended;
  const created = run(["service", "keys", "create", "kills", "--database", database]);
  const [secret] = await Promise.all([once(created.child.stdout, "data"), created.ended]);
  env.CATALOG_API_KEY = String(secret).trim();
  const flags = ["--port", "0", "--database", database, "--rate-limit", "1000000000"];
  const { child } = run(["service", "start", ...flags]);
  const [line] = await once(child.stdout, "data");
  env.CATALOG_BASE_URL = String(line).trim().split(" ").at(-1);
  return child;
}

async function prove(name, kills) {
  const expected = join(folder, `undisturbed-${name}`);
  const args = (file) => ["export", "--page-size", "20", "--resume", "--manifest", "-o", file];
  const started = Date.now();
  await run(args(expected)).ended;
  const longest = Date.now() - started;
  const file = join(folder, name);
  let killed = 0;
  let files = 0;
  while (killed < kills) {
    const { child, ended } = run(args(file));
    const timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * longest);
    const { code, signal } = await ended;
    clearTimeout(timer);
    if (signal === "SIGKILL") {
      killed += 1;
    } else if (code === 0) {
      files += await compare(file, expected);
    } else {
      throw new Error(`${name}: exit code ${code}`);
    }
  }
  await run(args(file)).ended;
  files += await compare(file, expected);
  console.log(`${name}: ${killed} kills, ${files} files, each as undisturbed`);
}

/** Whether the file is whole, has nothing of an unfinished run beside it, and is as its manifest says. */
async function compare(file, expected) {
  const [found, wanted] = await Promise.all([digestOf(file), digestOf(expected)]);
  const left = (await readdir(folder)).filter((name) => name.includes(".partial"));
  const { code } = await run(["verify", file]).ended;
  if (found !== wanted || left.length > 0 || code !== 0) {
    throw new Error(`${file}: ${found === wanted ? "same" : "other"} bytes, verify ${code}, left: ${left.join(" ")}`);
  }
  await rm(file);
  await rm(`${file}.manifest.json`);
  return 1;
}

function run(args) {
  const child = spawn(process.execPath, [CATALOG, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  return { child, ended: once(child, "close").then(([code, signal]) => ({ code, signal })) };
}

async function digestOf(file) {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
