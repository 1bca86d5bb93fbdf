import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { bareEnvironment, CATALOG, type RunResult, temporaryFolder } from "./cli.ts";

/** A call that changes files, or makes a change survive a loss of power. Times are lines of the record. */
export interface SystemCall {
  kind: "create" | "write" | "sync" | "truncate" | "rename" | "remove" | "make folder" | "remove folder" | "signal";
  path: string;
  /** The new name, if the call renames or links. */
  to?: string;
  /** Arguments as strace shows them. */
  args: string;
  begin: number;
  end: number;
}

interface Recording {
  cwd: string;
  env?: Record<string, string>;
  stdin?: string;
  /** Only calls with these paths are recorded. */
  paths?: readonly string[];
  /** A fault for these calls instead of slow syncs, see `inject` in strace(1). It counts the calls of each thread. */
  inject?: string;
  /** Called once the tool runs; it may read the calls so far, as long as it runs. */
  meanwhile?: (soFar: () => Promise<SystemCall[]>) => Promise<void>;
}

const KINDS: Readonly<Record<string, SystemCall["kind"]>> = {
  open: "create",
  openat: "create",
  write: "write",
  pwrite64: "write",
  writev: "write",
  pwritev: "write",
  fsync: "sync",
  fdatasync: "sync",
  ftruncate: "truncate",
  rename: "rename",
  renameat: "rename",
  renameat2: "rename",
  link: "rename",
  linkat: "rename",
  unlink: "remove",
  unlinkat: "remove",
  mkdir: "make folder",
  mkdirat: "make folder",
  rmdir: "remove folder",
};

/** The next step of a run that does not wait for a sync begins before the sync has ended. */
const SLOW_SYNC = "fsync,fdatasync:delay_enter=10ms";

/** Runs the built tool under strace and records its calls in the order in which the system saw them. */
export async function recordCalls(
  args: readonly string[],
  { cwd, env, stdin = "", paths = [], inject = SLOW_SYNC, meanwhile }: Recording,
): Promise<RunResult & { calls: SystemCall[] }> {
  const record = join(await temporaryFolder(), "calls");
  // A name with `?` may be missing on this processor.
  const traced = `trace=${Object.keys(KINDS).map((name) => `?${name}`)}`;
  const flags = ["-f", "-y", "--seccomp-bpf", "-s", "8192", "-o", record, "-e", traced];
  flags.push("-e", `inject=${inject}`, ...paths.flatMap((path) => ["-P", path]));
  const child = spawn("strace", [...flags, process.execPath, CATALOG, ...args], {
    cwd,
    // Calls through io_uring would be invisible.
    env: { ...bareEnvironment(), UV_USE_IO_URING: "0", ...env },
    // A group of its own, so that strace never ends without the tool.
    detached: true,
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(-child.pid, "SIGKILL");
    }
  });
  child.stdin.on("error", () => undefined).end(stdin);
  const recorded = async () => callsIn(await readFile(record, "utf8").catch(() => ""), cwd);
  const soFar = async () => {
    if (child.exitCode !== null) {
      throw new Error("the tool ended before that");
    }
    return await recorded();
  };
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
    meanwhile?.(soFar),
  ]);
  return { code, signal, stdout, stderr, calls: await recorded() };
}

/** A call with its result, which is the end of the line. */
const ENDED = /^(\w+)\((.*)\) += (-?\d+|\?)[^"]*$/;

/** The calls that succeeded, or have not ended yet. */
function callsIn(record: string, cwd: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<string, { begin: number; text: string }>();
  for (const [index, line] of record.split("\n").entries()) {
    const [, thread = "", said = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(said);
    if (/^\w+\(/.test(said) && !ENDED.test(said)) {
      unfinished.set(thread, { begin: index, text: said.replace(/ <unfinished \.\.\.>$/, "") });
    } else if (resumed !== null) {
      const { begin, text: before } = unfinished.get(thread) ?? { begin: index, text: "" };
      unfinished.delete(thread);
      calls.push(...parsed(`${before}${resumed[1]}`, cwd, begin, index));
    } else {
      calls.push(...parsed(said, cwd, index, index));
    }
  }
  for (const { begin, text: before } of unfinished.values()) {
    calls.push(...parsed(`${before}) = 0`, cwd, begin, Number.POSITIVE_INFINITY));
  }
  return calls.sort((one, other) => one.begin - other.begin);
}

function parsed(said: string, cwd: string, begin: number, end: number): SystemCall[] {
  const received = /^--- (SIG\w+)/.exec(said)?.[1];
  if (received !== undefined) {
    return [{ kind: "signal", path: received, args: said, begin, end }];
  }
  const [, name = "", args = "", result = ""] = ENDED.exec(said) ?? [];
  const named = KINDS[name];
  if (named === undefined || result === "-1" || (named === "create" && !args.includes("O_CREAT"))) {
    return [];
  }
  const kind = args.includes("AT_REMOVEDIR") ? "remove folder" : named;
  const opened = /^\d+<(.*?)>/.exec(args)?.[1];
  const [from, to] = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = ""]) => resolve(cwd, path));
  const ofPath = kind === "write" || kind === "sync" || kind === "truncate" ? opened : from;
  return ofPath === undefined
    ? []
    : [{ kind, path: ofPath, ...(kind === "rename" && to !== undefined && { to }), args, begin, end }];
}

/**
 * The calls in words, such as `rename a to b`, with names relative to `folder`; equal ones in a row are one. A call that
 * begins before the last one has ended is marked.
 */
export function story(calls: readonly SystemCall[], folder: string): string[] {
  const name = (path: string) => relative(folder, path) || ".";
  const told: string[] = [];
  let ended = -1;
  for (const { kind, path, to, begin, end } of calls) {
    const words = kind === "signal" ? path : `${kind} ${name(path)}${to === undefined ? "" : ` to ${name(to)}`}`;
    const next = begin < ended ? `too early: ${words}` : words;
    if (told.at(-1) !== next) {
      told.push(next);
    }
    ended = Math.max(ended, end);
  }
  return told;
}

/**
 * What a loss of power could take away or leave half written: files that got a name before their content was on disk, and
 * names whose folder was not synced after they were made or removed. Locks do not count: no holder survives it.
 *
 * @param isPassing whether a change only matters to the run itself
 */
export function losses(all: readonly SystemCall[], folder: string, isPassing = (_call: SystemCall) => false): string[] {
  const calls = all.filter(({ path }) => path.startsWith(folder) && !/\.lock$|\/lock$/.test(path));
  return calls.flatMap((call) => {
    const { kind, path, to = path, end } = call;
    const words = story([call], folder)[0];
    const isChange = ["rename", "remove", "make folder", "remove folder"].includes(kind);
    const isGone = calls.some((one) => one.kind === "remove folder" && one.path === dirname(to) && one.begin > end);
    return [
      ...(kind === "rename" && contentSynced(calls, call) === undefined
        ? [`${words}: its content is not on disk`]
        : []),
      ...(isChange && !isPassing(call) && !isGone && syncOf(calls, dirname(to), end) === undefined
        ? [`${words}: its folder is not synced afterwards`]
        : []),
    ];
  });
}

/** The sync of a file or folder that begins after `after` and has ended before `before`. */
export function syncOf(
  calls: readonly SystemCall[],
  path: string,
  after: number,
  before = Number.POSITIVE_INFINITY,
): SystemCall | undefined {
  return calls.find((call) => call.kind === "sync" && call.path === path && call.begin > after && call.end < before);
}

/** The sync of a file after it was last written and before it was renamed; undefined if there is none. */
export function contentSynced(calls: readonly SystemCall[], { path, begin }: SystemCall): SystemCall | undefined {
  const earlier = calls.filter((call) => call.begin < begin);
  const changes = earlier.filter(({ kind }) => kind === "create" || kind === "write" || kind === "truncate");
  const last = changes.findLast((change) => change.path === path);
  // It may have had another name while it was written.
  const named = earlier.findLast(({ kind, to }) => kind === "rename" && to === path);
  return named !== undefined && named.begin > (last?.begin ?? -1)
    ? contentSynced(calls, named)
    : syncOf(calls, path, last?.end ?? -1, begin);
}
