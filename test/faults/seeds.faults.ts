import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { certificates } from "./certificates.ts";
import { rowsAfter } from "./changing-rows.ts";
import { type Change, type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { digestByDay, filesIn, STDOUT, SYNC, type TestedOutput } from "./outputs.ts";
import { caseOf, FAULT_NAMES, type SeededCase } from "./seeded-case.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

const { FAULT_SEED = "0", FAULT_RUNS = String(FAULT_NAMES.length) } = process.env;
const SEEDS = Array.from({ length: Number(FAULT_RUNS) }, (_, index) => Number(FAULT_SEED) + index);

/** Blocks of 512 bytes that a file may have on the small disk: less than any output. */
const SMALL_DISK = 40;

const onEnd = afterAllTests();
/** The service of all runs that change no rows. */
let shared: TestService;
const met = new Set<string>();

beforeAll(async () => {
  shared = await serviceWith([]);
});

async function serviceWith(changes: readonly Change[]): Promise<TestService> {
  return await startTestService({ rows: rowsAfter(changes), rateLimit: 1_000_000, onEnd });
}

/** What a run without faults writes, by output, flags and the changes of the rows. */
const contents = new Map<string, Promise<string>>();

function undisturbed(output: TestedOutput, pageSize: string, changes: readonly Change[]): Promise<string> {
  const key = [output.name, pageSize, ...changes].join();
  const content = contents.get(key) ?? readUndisturbed(output, pageSize, changes);
  contents.set(key, content);
  return content;
}

async function readUndisturbed(output: TestedOutput, pageSize: string, changes: readonly Change[]): Promise<string> {
  if (output === SYNC) {
    return digestByDay(rowsAfter(changes));
  }
  const service = changes.length === 0 ? shared : await serviceWith(changes);
  const folder = await temporaryFolder();
  const { code, stdout } = await runInProcess([...output.args(folder), "--page-size", pageSize], { service });
  expect(code).toBe(EXIT.ok);
  return await output.read(folder, stdout);
}

type Result = { code: number; stdout: string; stderr: string };

interface Running {
  proxy: FaultProxy;
  service: TestService;
  clock: VirtualTime;
}

async function run(args: readonly string[], way: SeededCase["way"], running: Running): Promise<Result> {
  const { proxy, service, clock } = running;
  const env = { CATALOG_BASE_URL: proxy.url, CATALOG_API_KEY: service.key };
  if (way === "in this process") {
    return await runInProcess(args, { ...clock, env });
  }
  const authorities = join(await temporaryFolder(), "authorities.pem");
  await writeFile(authorities, (await certificates()).authorities);
  const limit = way === "built, on a small disk" && !proxy.isStopped() ? `ulimit -f ${SMALL_DISK}; ` : "";
  const options = {
    env: { ...bareEnvironment(), ...env, NODE_EXTRA_CA_CERTS: authorities },
    maxBuffer: 2 ** 28,
  };
  const words = ["-c", `${limit}exec "$0" "$@"`, process.execPath, CATALOG, ...args];
  return await promisify(execFile)("/bin/sh", words, options).then(
    (result) => ({ code: 0, ...result }),
    (error: Result) => error,
  );
}

test.each(SEEDS.map((seed) => [caseOf(seed).title, seed] as const))("%s", async (_, seed) => {
  try {
    await play(caseOf(seed));
  } catch (error) {
    (error as Error).message += `\nTo repeat it: FAULT_SEED=${seed} FAULT_RUNS=1 npm run test:faults`;
    throw error;
  }
});

test.runIf(SEEDS.length >= FAULT_NAMES.length)("every kind of fault happened", () => {
  expect([...met].sort()).toEqual([...FAULT_NAMES].sort());
});

/**
 * Several requests are open at once: a run may end before each fault had its turn, or the tool may have given the request up
 * that got the fault which ends the run. Then the run is played again.
 */
const ATTEMPTS = 5;

async function play(seeded: SeededCase, attempts = ATTEMPTS): Promise<void> {
  const { output, way, flags, faults, ending } = seeded;
  const changes: Change[] = [];
  const isChanged = faults.some(({ name }) => name.startsWith("rows that were"));
  const service = isChanged ? await serviceWith([]) : shared;
  const clock = virtualTime();
  const change = async (kind: Change) => {
    changes.push(kind);
    await service.replaceRows(rowsAfter(changes));
  };
  const isSecure = way === "built, over TLS";
  const proxy = await startFaultProxy(service.url, { faults, clock, isSecure, change });
  const running: Running = { proxy, service, clock };
  const folder = await temporaryFolder();
  const pageSize = flags[flags.indexOf("--page-size") + 1] ?? "";

  const first = await run([...output.args(folder), ...flags], way, running);
  if (first.code === EXIT.ok && attempts > 1 && hasUnseen(seeded, proxy)) {
    proxy.stop();
    await play(seeded, attempts - 1);
    return;
  }
  const isMoved = faults.some(({ moves }) => moves);
  const isLostOnStdout = STDOUT.includes(output) && isMoved && first.code === EXIT.changed;
  // The set may move before the fault that ends the run has its turn.
  const expected = isLostOnStdout ? { code: EXIT.changed, says: /the set changed/ } : ending;
  expect({ code: first.code, stderr: first.stderr.replace(/\s+/g, " ") }).toEqual({
    code: expected?.code ?? EXIT.ok,
    stderr: expected === undefined ? (isMoved ? expect.any(String) : "") : expect.stringMatching(expected.says),
  });
  expect(first.stderr).not.toContain(service.key);
  expect(proxy.strays).toEqual([]);
  if (way !== "built, on a small disk" && !isLostOnStdout) {
    expect(faults.filter(({ name }) => !proxy.met.has(name)).map(({ name }) => name)).toEqual([]);
  }
  for (const name of proxy.met.keys()) {
    met.add(name);
  }

  if (first.code === EXIT.ok) {
    const versions = changes.map((_, index) => changes.slice(0, index + 1));
    const exact = await Promise.all([[], ...versions].map((some) => undisturbed(output, pageSize, some)));
    expectExact(output, await output.read(folder, first.stdout), exact);
    expect((await filesIn(folder)).filter((file) => !output.holds(file))).toEqual([]);
  }
  if (first.code !== EXIT.ok || (output === SYNC && changes.length > 0)) {
    proxy.stop();
    if (output !== SYNC) {
      expect((await filesIn(folder)).filter(output.holds)).toEqual([]);
    }
    const next = await run([...output.again(folder), ...flags], way, running);
    expect(next).toMatchObject({ code: EXIT.ok, stderr: expect.not.stringContaining("error:") });
    expect(await output.read(folder, next.stdout)).toBe(await undisturbed(output, pageSize, changes));
    expect((await filesIn(folder)).filter((file) => !output.holds(file))).toEqual([]);
  }
}

/** Whether a run that ended well has a fault that nobody saw. */
function hasUnseen({ ending, faults }: SeededCase, { met: seen }: FaultProxy): boolean {
  return ending !== undefined || faults.some(({ name }) => !seen.has(name));
}

/** An export has the rows of one version; a sync, which reads one day after the other, may have each day as of another. */
function expectExact(output: TestedOutput, content: string, versions: readonly string[]): void {
  if (output !== SYNC) {
    expect(versions).toContain(content);
    return;
  }
  const days = new Set(versions.flatMap((version) => version.split("\n")));
  expect(content.split("\n").filter((day) => !days.has(day))).toEqual([]);
}
