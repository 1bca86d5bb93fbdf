// Kills an export at random instants, resumes it until it is done, and compares the file with that of an
// undisturbed run. `node bench/kill-resume.mjs [KILLS]`, after a build; prints one line a format.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CATALOG, catalog, startService } from "./catalog.mjs";

const KILLS = Number(process.argv[2] ?? 200);
const NAMES = ["rows.ndjson", "rows.csv", "rows.tsv", "rows.json", "rows.ndjson.gz", "rows.parquet"];

const folder = await mkdtemp(join(tmpdir(), "catalog-kills-"));
const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder };
let service;
try {
  service = await startDemoService();
  Object.assign(env, service.env);
  for (const [index, name] of NAMES.entries()) {
    await prove(name, Math.ceil((KILLS - index) / NAMES.length));
  }
} finally {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
}

async function startDemoService() {
  const database = join(folder, "catalog.db");
  const rows = join(folder, "demo.ndjson");
  await catalog(folder, ["export", "-q", "--demo", "--max-rows", "4000", "-o", rows]);
  await catalog(folder, ["service", "load", "-q", rows, "--database", database]);
  return await startService(folder, database);
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

/** Fails unless the file is whole, as its manifest says, and without files of an unfinished run beside it. */
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
