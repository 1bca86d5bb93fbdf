import { createHash } from "node:crypto";
import { PAGE_SIZES } from "./changing-rows.ts";
import { type Ending, FAULTS, type Fault, type FaultName } from "./fault-list.ts";
import type { PlannedFault } from "./fault-proxy.ts";
import { EXPORTS, STDOUT, SYNC, type TestedOutput } from "./outputs.ts";

/** One run, as its seed chose it. */
export interface SeededCase {
  output: TestedOutput;
  way: "in this process" | "built" | "built, over TLS" | "built, on a small disk";
  flags: string[];
  faults: PlannedFault[];
  /** How the run has to end; undefined if it has to overcome its faults. */
  ending: Ending | undefined;
  title: string;
}

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** A limit of file sizes is no fault of the network: its run ends with the message of the system. */
const SMALL_DISK: Ending = { code: 1, says: /the file grew larger than the system allows/ };

type Dice = (below: number) => number;

function pick<T>(dice: Dice, list: readonly T[]): T {
  return list[dice(list.length)] as T;
}

function wayFor({ needs, once }: Fault, dice: Dice): SeededCase["way"] {
  if (needs === "TLS") {
    return "built, over TLS";
  }
  if (needs !== undefined || dice(5) > 0) {
    return "in this process";
  }
  return once === undefined
    ? pick(dice, ["built", "built, over TLS", "built, on a small disk"])
    : pick(dice, ["built", "built, over TLS"]);
}

function outputFor({ exportsOnly }: Fault, way: SeededCase["way"], dice: Dice): TestedOutput {
  const isFile = way === "built, on a small disk";
  const kinds = [EXPORTS, EXPORTS, EXPORTS, STDOUT, [SYNC]];
  return pick(dice, pick(dice, isFile || exportsOnly ? kinds.slice(0, 3) : kinds));
}

/** Chooses a run. Each of as many seeds in a row as there are faults has another fault, and up to three more. */
export function caseOf(seed: number): SeededCase {
  const dice = diceFrom(seed);
  const first = FAULT_NAMES[seed % FAULT_NAMES.length] as FaultName;
  const fault: Fault = FAULTS[first];
  const { once, always } = fault;
  // Rows that a walk passes on twice are seen best where they cannot be taken back, in a run that goes on.
  const showsRepeats = fault.restarts && seed < FAULT_NAMES.length;
  const way = showsRepeats ? "in this process" : wayFor(fault, dice);
  const isBuilt = way !== "in this process";
  const output = showsRepeats ? pick(dice, STDOUT) : outputFor(fault, way, dice);

  const canHave = (fault: Fault) =>
    (fault.needs === undefined ||
      (isBuilt ? fault.needs === "TLS" && way === "built, over TLS" : fault.needs !== "TLS")) &&
    !(fault.exportsOnly && output === SYNC);
  const overcome = FAULT_NAMES.filter((name) => name !== first && canHave(FAULTS[name]) && !("once" in FAULTS[name]));
  // One that has to come first cannot wait for others.
  const most = fault.from !== undefined ? 1 : isBuilt || output === SYNC ? 2 : 4;
  const more = Array.from({ length: dice(most) }, () => pick(dice, overcome));
  // The set takes few requests.
  const latest = output === SYNC ? 1 : 4;
  const planned = (name: FaultName, isLasting: boolean, isLast: boolean): PlannedFault => {
    const one: Fault = FAULTS[name];
    return { ...one, name, from: one.from ?? dice(latest), isLasting, isLast };
  };
  const isLasting = !showsRepeats && way !== "built, on a small disk" && always !== undefined && dice(2) === 0;
  const ofFirst = isLasting ? always : once;
  const faults = [
    ...[...new Set(more)].map((name) => planned(name, false, false)),
    planned(first, isLasting, ofFirst !== undefined),
  ];
  const retries = isLasting ? faults.length + 1 : 8;
  const timeout = faults.some(({ stalls }) => stalls) ? "1s" : "30s";
  const concurrency = pick(dice, ["1", "2", "4", "8", "32"]);
  const paged = output === SYNC ? [] : ["--page-size", String(pick(dice, PAGE_SIZES))];
  const needed = output === SYNC ? [] : (fault.flags ?? []);
  const flags = [...needed, ...paged, "--concurrency", concurrency, "--retries", String(retries), "--timeout", timeout];
  const named = faults.map(
    (fault) => `${fault.name} ${fault.isLasting ? "always" : "once"} from request ${fault.from}`,
  );
  return {
    output,
    way,
    flags,
    faults,
    ending: way === "built, on a small disk" ? SMALL_DISK : ofFirst,
    title: `seed ${seed}: ${output.name}, ${concurrency} at once, ${way}: ${named.join(", ")}`,
  };
}

/** Numbers from 0 up to `below` that follow from the seed. */
function diceFrom(seed: number): Dice {
  let rolls = 0;
  return (below) => {
    rolls += 1;
    return createHash("sha256").update(`${seed} ${rolls}`).digest().readUInt32LE(0) % below;
  };
}
