// Mutation tests: changes the sources one small thing at a time, and counts the changes that the tests notice.
// `npm run test:mutation` takes folders and files; without any, all of the folders below.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Folders, and the tests that have to notice their mutants. Each mutant is tried by those of the tests that run its line, so
 * a few quick ones close to the code make a quick run.
 *
 * @type {Record<string, string[]>}
 */
const FOLDERS = {
  "src/client": ["test/client"],
  "src/config": ["test/config"],
  "src/folder": ["test/folder", "test/commands/movers.test.ts", "test/commands/latest.test.ts"],
  "src/export": ["test/export", "test/commands/verify.test.ts"],
  "src/pull": ["test/pull"],
  "src/rows": ["test/rows", "test/client/responses"],
  "src/service/http": ["test/service/http", "test/service/portal"],
  "src/service/portal": ["test/service/portal", "test/service/http/routes"],
};

/** Percentage of a folder's mutants that the tests have to notice. Some mutants behave like the original: no test notices them. */
const THRESHOLD = 80;

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
  process.env.MUTATION_TESTS = FOLDERS[folder].join(",");
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
    // Copies are below this folder, where Node.js finds the packages of the project, and not those of Stryker.
    tempDirName: "coverage/mutants",
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

/** Prints the mutants that the tests did not notice; returns whether they noticed enough. */
function report(name, mutants) {
  const unnoticed = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  for (const { fileName, location, status, mutatorName, replacement } of unnoticed) {
    console.log(`${relative("", fileName)}:${location.start.line} ${status} ${mutatorName}`);
    console.log(`  - ${textAt(fileName, location)}\n  + ${replacement}`);
  }
  const noticed = count(mutants, "Killed", "Timeout");
  const score = percent(noticed, noticed + unnoticed.length);
  console.log(
    `${name}: ${noticed + unnoticed.length} mutants, ${noticed} noticed (${count(mutants, "Timeout")} by the time), ` +
      `${count(mutants, "Survived")} survived, ${count(mutants, "NoCoverage")} not run; ${score.toFixed(1)} %`,
  );
  return score >= THRESHOLD;
}

function percent(part, all) {
  return all === 0 ? 100 : (100 * part) / all;
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
  for (const path of asked.length === 0 ? Object.keys(FOLDERS) : asked) {
    const folder = Object.keys(FOLDERS).find((name) => path === name || path.startsWith(`${name}/`));
    if (folder === undefined) {
      throw new Error(`${path} is in none of these: ${Object.keys(FOLDERS).join(" ")}`);
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
