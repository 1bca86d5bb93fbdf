// Mutation tests: changes the sources one small thing at a time, and counts the changes that the tests notice.
// `npm run test:mutation` takes folders and files; without any, all that test/mutation/config.mjs has.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { explained, folders, THRESHOLD } from "../test/mutation/config.mjs";

const HOME = "coverage/mutation";
const VERSION = "9.6.1";
const STRYKER = join(HOME, "node_modules/@stryker-mutator");

/** Stryker brings 140 packages that nothing else needs, so that only this command installs it. It uses the project's vitest. */
function install() {
  const manifest = join(STRYKER, "vitest-runner/package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === VERSION) {
    return;
  }
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, "package.json"), '{ "private": true }');
  const flags = [
    "--no-save",
    "--no-package-lock",
    "--silent",
    "--ignore-scripts",
    "--legacy-peer-deps",
    "--prefix",
    HOME,
  ];
  const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  execFileSync("npm", ["install", ...flags, ...packages], { stdio: "inherit" });
}

/** The mutants of files of a folder, with what became of each. */
async function mutantsOf(folder, paths) {
  // The threads of the runner take the environment of this process.
  process.env.MUTATION_TESTS = folders[folder].join(",");
  const { Stryker } = await import(pathToFileURL(resolve(STRYKER, "core/dist/src/index.js")).href);
  return await new Stryker({
    mutate: paths.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.ts`)),
    testRunner: "vitest",
    plugins: [resolve(STRYKER, "vitest-runner/dist/src/index.js")],
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
    // The sources run as they are, so there is no configuration of the compiler to rewrite.
    tsconfigFile: "none",
    coverageAnalysis: "perTest",
    // More than processors: many mutants make a test wait.
    concurrency: 4,
    // A mutant that runs without end counts as noticed. A slow machine must not make one of the others.
    timeoutMS: 8_000,
    tempDirName: join(HOME, "tmp"),
    // Copies are below this folder, where Node.js finds the packages.
    symlinkNodeModules: false,
    ignorePatterns: ["/coverage", "/dist", "/demo-output"],
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: join(HOME, `${folder.replaceAll("/", "-")}.json`),
    reporters: ["progress-append-only"],
    allowConsoleColors: false,
  }).runMutationTest();
}

function count(mutants, ...states) {
  return mutants.filter(({ status }) => states.includes(status)).length;
}

/** Prints what the tests did not notice and nothing explains; returns whether they noticed enough. */
function report(name, mutants) {
  const left = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map((mutant) => ({
      ...mutant,
      file: relative("", mutant.fileName),
      code: textAt(mutant.fileName, mutant.location),
    }));
  const open = left.filter((mutant) => !explained.some((known) => explains(known, mutant)));
  for (const { file, code, location, status, mutatorName, replacement } of open) {
    console.log(`${file}:${location.start.line} ${status} ${mutatorName}\n  - ${code}\n  + ${replacement}`);
  }
  const files = new Set(mutants.map(({ fileName }) => relative("", fileName)));
  for (const known of explained.filter(({ file }) => files.has(file))) {
    if (!left.some((mutant) => explains(known, mutant))) {
      console.log(`${known.file}: no mutant is left for the explanation of ${known.code ?? known.within}`);
    }
  }
  const killed = count(mutants, "Killed", "Timeout");
  const score = percent(killed, killed + open.length);
  console.log(
    `${name}: ${killed + left.length} mutants, ${killed} killed (${count(mutants, "Timeout")} by the time), ` +
      `${count(mutants, "Survived")} survived, ${count(mutants, "NoCoverage")} not run; ` +
      `${percent(killed, killed + left.length).toFixed(1)} %, and ${score.toFixed(1)} % without the ` +
      `${left.length - open.length} that are explained`,
  );
  return score >= THRESHOLD;
}

function percent(part, all) {
  return all === 0 ? 100 : (100 * part) / all;
}

function explains({ file, code, within, by }, mutant) {
  return (
    file === mutant.file &&
    (code === undefined || code === mutant.code) &&
    (within === undefined || isWithin(within, mutant)) &&
    (by === undefined || by === mutant.replacement)
  );
}

/** Whether a mutant is in the function or method of this name, which ends with a brace that is indented as its first line. */
function isWithin(name, { file, location }) {
  const lines = readFileSync(file, "utf8").split("\n");
  const declaration = new RegExp(`^\\s*((export )?(async )?function ${name}\\b|${name}\\(.*\\{$|private ${name}\\()`);
  const start = lines.findIndex((line) => declaration.test(line));
  if (start === -1) {
    throw new Error(`${file} has no function ${name}`);
  }
  const end = lines.indexOf(`${/^\s*/.exec(lines[start])}}`, start);
  return start < location.start.line && location.start.line <= end + 1;
}

/** The text that a mutant replaces. Lines and columns begin with 1. */
function textAt(file, { start, end }) {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  lines.push(lines.pop().slice(0, end.column - 1));
  return lines
    .join("\n")
    .slice(start.column - 1)
    .replace(/\s+/g, " ");
}

/** What is asked for, by folder. */
function chosen(paths) {
  const asked = paths.map((path) => relative("", path));
  const byFolder = new Map();
  for (const path of asked.length === 0 ? Object.keys(folders) : asked) {
    const folder = Object.keys(folders).find((name) => path === name || path.startsWith(`${name}/`));
    if (folder === undefined) {
      throw new Error(`${path} is in none of these: ${Object.keys(folders).join(" ")}`);
    }
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), path]);
  }
  return byFolder;
}

const work = chosen(process.argv.slice(2));
install();
for (const [folder, paths] of work) {
  const mutants = await mutantsOf(folder, paths);
  if (!report(paths.join(" "), mutants)) {
    process.exitCode = 1;
  }
}
