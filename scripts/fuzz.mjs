// Coverage-guided fuzzing: `npm run fuzz TARGET [SECONDS] [SEED]`, see test/fuzz/targets.ts. An input that reaches a branch
// that none reached before, or another order of magnitude of rounds, is kept and changed further. The smallest inputs that
// reach all of it replace test/fuzz/corpus/TARGET.txt, one a line as base64. An input that is read wrongly, or without end,
// is written to coverage/fuzz.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { build } from "esbuild";
import { TEXT_LOADERS } from "./text-files.mjs";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "coverage/fuzz");
const BUNDLE = join(FOLDER, "targets.cjs");
const INSTRUMENTER = "istanbul-lib-instrument@6.0.3";

/** Longest input, and longest corpus, in bytes. */
const LONGEST = 16 * 1024;
const CORPUS_BYTES = 64 * 1024;
/** Milliseconds that the reading of one input may take. */
const HANGS_AFTER = 60_000;

const corpusOf = (target) => join(ROOT, `test/fuzz/corpus/${target}.txt`);

/** The inputs in a file, one a line as base64. */
function inputsIn(path) {
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  return lines.map((line) => Buffer.from(line, "base64"));
}

/** Bundles the targets. What has native libraries stays a package. */
async function bundle() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/fuzz/targets.ts"],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20.18",
    external: ["libsql", "@duckdb/node-api"],
    loader: TEXT_LOADERS,
    define: { "import.meta.dirname": '""', "import.meta.url": '"file:///"', "import.meta.filename": '""' },
  });
  return outputFiles[0].text;
}

/** Adds a counter for each function and branch. */
function instrumented(code) {
  if (!existsSync(join(FOLDER, "node_modules"))) {
    writeFileSync(join(FOLDER, "package.json"), '{ "private": true, "type": "commonjs" }\n');
    const flags = ["--no-save", "--no-package-lock", "--silent", "--ignore-scripts", "--prefix", FOLDER];
    execFileSync("npm", ["install", ...flags, INSTRUMENTER], { stdio: "inherit" });
  }
  const { createInstrumenter } = createRequire(join(FOLDER, "package.json"))("istanbul-lib-instrument");
  return createInstrumenter({ coverageVariable: "__reached__" }).instrumentSync(code, "targets");
}

function loadTargets() {
  return createRequire(import.meta.url)(BUNDLE).TARGETS;
}

/** Runs the loop in a thread, because reading may never end. */
function watch(target, seconds, seed) {
  const input = new Int32Array(new SharedArrayBuffer(8 + LONGEST));
  const worker = new Worker(new URL(import.meta.url), { workerData: { target, seconds, seed, shared: input.buffer } });
  let [last, since] = [-1, Date.now()];
  const timer = setInterval(() => {
    const run = Atomics.load(input, 0);
    [last, since] = run === last ? [last, since] : [run, Date.now()];
    if (Date.now() - since > HANGS_AFTER) {
      failed(Buffer.concat([Buffer.from(input.buffer, 8, input[1])]), "is read without end");
    }
  }, 1_000);
  const failed = (bytes, why) => {
    clearInterval(timer);
    const path = join(FOLDER, `${target}-${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}`);
    writeFileSync(path, bytes);
    console.error(`${path} (seed ${seed}) ${why}`);
    process.exitCode = 1;
    void worker.terminate();
  };
  worker.on("error", (error) => failed(Buffer.concat([Buffer.from(input.buffer, 8, input[1])]), error.stack));
  worker.on("message", ({ failure, runs, branches, kept }) => {
    clearInterval(timer);
    if (failure !== undefined) {
      failed(Buffer.from(failure.bytes), `is read wrongly: ${failure.stack}`);
    }
    console.log(`${target}: ${runs} inputs from seed ${seed}, ${branches} branches, ${kept} inputs kept`);
  });
}

async function fuzz({ target, seconds, seed, shared }) {
  const { read, seeds } = loadTargets()[target];
  const input = new Int32Array(shared);
  const inputBytes = Buffer.from(shared, 8);
  const reached = reachedSince();
  const dice = diceFrom(seed);
  const corpus = [];
  let runs = 0;
  let failure;
  const attempt = async (bytes) => {
    bytes.copy(inputBytes);
    input[1] = bytes.length;
    Atomics.store(input, 0, runs);
    runs += 1;
    try {
      await read(bytes);
      // A promise that is rejected behind its back ends the process before this.
      await new Promise(setImmediate);
    } catch (error) {
      failure = { bytes, stack: error.stack };
    }
    if (reached.isNew()) {
      corpus.push(bytes);
    }
  };
  const known = [...seeds().map((text) => Buffer.from(text)), ...inputsIn(corpusOf(target))];
  for (const bytes of known.sort((one, other) => one.length - other.length)) {
    await attempt(bytes);
  }
  for (const end = Date.now() + seconds * 1000; failure === undefined && Date.now() < end; ) {
    await attempt(changed(corpus, dice));
  }
  const branches = reached.count();
  return { failure, runs, branches, kept: await keepSmallest(target, corpus, read, reached) };
}

/** Writes the inputs that together reach what all reach; the smallest come first. */
async function keepSmallest(target, corpus, read, reached) {
  reached.forget();
  const kept = [];
  let bytes = 0;
  for (const input of corpus.sort((one, other) => one.length - other.length)) {
    await Promise.resolve(read(input)).catch(() => undefined);
    if (reached.isNew() && bytes + input.length <= CORPUS_BYTES) {
      kept.push(input.toString("base64"));
      bytes += input.length;
    }
  }
  mkdirSync(join(corpusOf(target), ".."), { recursive: true });
  writeFileSync(corpusOf(target), `${kept.join("\n")}\n`);
  return kept.length;
}

/** What was reached since it was asked for the last time: each counter, by the order of magnitude of its rounds. */
function reachedSince() {
  const { b, f } = globalThis.__reached__.targets;
  const counters = [f, ...Object.values(b)];
  const seen = counters.map((group) => Object.keys(group).map(() => 0));
  return {
    isNew: () => {
      let isNew = false;
      for (const [index, group] of counters.entries()) {
        const known = seen[index];
        for (let at = 0; at < known.length; at += 1) {
          const rounds = group[at];
          if (rounds > 0) {
            const magnitude = 1 << Math.min(30, 32 - Math.clz32(rounds));
            isNew ||= (known[at] & magnitude) === 0;
            known[at] |= magnitude;
            group[at] = 0;
          }
        }
      }
      return isNew;
    },
    count: () => seen.flat().filter((magnitudes) => magnitudes !== 0).length,
    forget: () => {
      for (const known of seen) {
        known.fill(0);
      }
    },
  };
}

/** Bytes that mean something in many formats. */
const BYTES = [0, 1, 0x7f, 0x80, 0xff, ...Buffer.from('"\\{}[],:;-+.%&=#\n\r\t 09eE')];

/** One of the inputs with a few changes. */
function changed(corpus, dice) {
  const pick = (list) => list[dice(list.length)];
  let bytes = Buffer.from(pick(corpus));
  for (let changes = dice(5); changes >= 0; changes -= 1) {
    const at = dice(bytes.length + 1);
    const other = pick(corpus);
    const start = dice(other.length);
    const part =
      dice(2) === 0 ? Buffer.from([dice(2) === 0 ? pick(BYTES) : dice(256)]) : other.subarray(start, start + dice(32));
    const removed = pick([0, part.length, dice(32)]);
    bytes = Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + removed)]);
    if (dice(3) === 0 && at < bytes.length) {
      bytes[at] ^= 1 << dice(8);
    }
  }
  return bytes.subarray(0, LONGEST);
}

/** Random numbers that are the same for the same seed (mulberry32). */
function diceFrom(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return below === 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

if (isMainThread) {
  const [target, seconds = "60", seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
  const code = await bundle();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(BUNDLE, code);
  const targets = Object.keys(loadTargets());
  if (targets.includes(target)) {
    writeFileSync(BUNDLE, instrumented(code));
    watch(target, Number(seconds), Number(seed));
  } else {
    console.error(`npm run fuzz TARGET [SECONDS] [SEED]; the targets are ${targets.join(", ")}.`);
    process.exitCode = 2;
  }
} else {
  parentPort.postMessage(await fuzz(workerData));
}
