// Compares the scanner of rows with JSON.parse on responses as a service may write them and on damaged ones.
// `node bench/fuzz-scanner.mjs [SECONDS] [SEED]`; ends with an error at the first difference, which the same seed finds again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [SECONDS = 60, SEED = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
/** Texts between two checks of the time. */
const BATCH = 1000;

const folder = await mkdtemp(join(tmpdir(), "catalog-fuzz-"));
try {
  const helpers = ["json-mutations", "scan-oracle"].map((name) =>
    fileURLToPath(new URL(`../test/helpers/${name}.ts`, import.meta.url)),
  );
  const outExtension = { ".js": ".mjs" };
  await build({ entryPoints: helpers, outdir: folder, outExtension, bundle: true, format: "esm", platform: "node" });
  const { answerText, mutated } = await import(join(folder, "json-mutations.mjs"));
  const { compareWithParse } = await import(join(folder, "scan-oracle.mjs"));
  const end = performance.now() + SECONDS * 1000;
  const dice = diceFrom(SEED);
  let texts = 0;
  for (; performance.now() < end; texts += BATCH) {
    for (let count = 0; count < BATCH; count += 1) {
      const text = answerText(dice);
      compareWithParse(dice(4) === 0 ? text : mutated(text, dice));
    }
  }
  console.log(`${texts} texts from seed ${SEED}: the scanner and JSON.parse agree on each`);
} catch (error) {
  console.error(`seed ${SEED}`);
  throw error;
} finally {
  await rm(folder, { recursive: true, force: true });
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
