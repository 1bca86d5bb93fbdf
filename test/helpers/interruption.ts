import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { InterruptedError } from "../../src/contract/errors.ts";
import { readStoreLines, type StoreContent } from "../../src/pull/store/store-lines.ts";
import { type RunResult, runCatalog, startCatalog, temporaryFolder } from "./cli.ts";
import type { OnEnd } from "./endings.ts";
import { type InProcessResult, runInProcess } from "./in-process.ts";
import { startTestService, type TestService, type TestServiceOptions } from "./service.ts";

/** A service that can stop responding. */
export interface InterruptibleService extends Pick<TestService, "store" | "replaceRows"> {
  /** Address and key. */
  env: Record<string, string>;
  /** The pages that it returned to the current export, in order, each by its rows. */
  returned: string[];
  /** Returns this number of further pages. Later requests wait, but not those of a page that was returned already. */
  answerOnly(pages: number): void;
  /** Whether this number of requests, by default one, have been waiting since then. */
  isStalled: (requests?: number) => boolean;
}

/** An export to a file that can be interrupted in the middle. */
export interface Interruptible {
  cwd: string;
  name: string;
  /** Number of different pages requested by all runs of this export. */
  pages: () => number;
  /**
   * Number of requests for a page that was returned before, less those that may compare the last page that an interrupted
   * slice kept: one before the slice goes on and, if it is not the first page, one after its last page.
   */
  repeats: () => number;
  /** A run in this process, without interruption. */
  run(...flags: string[]): Promise<InProcessResult>;
  /** The same with the built tool, in a separate process. */
  runProcess(...flags: string[]): Promise<RunResult>;
  /**
   * A run that gets only the first `pages` pages. It gets the signal when all of these are in its journal.
   */
  interrupt(
    signal: NodeJS.Signals,
    pages: number,
    ...flags: string[]
  ): Promise<Pick<RunResult, "code" | "signal" | "stderr">>;
  /**
   * The same in this process. Leaves the files as they were at that moment, as SIGKILL does. Only the lock is missing,
   * because its process is alive.
   */
  crash(pages: number, ...flags: string[]): Promise<void>;
}

export async function startInterruptibleService(options: TestServiceOptions): Promise<InterruptibleService> {
  const returned: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  const { url, key, store, replaceRows } = await startTestService({
    rateLimit: 1_000_000,
    faults: (store) => ({
      // It is called exactly once for each page.
      page: async (selection, start, limit, deadline) => {
        const page = `${selection.key} ${start.offset} ${limit}`;
        const isNew = !returned.includes(page);
        left -= isNew ? 1 : 0;
        if (isNew && left < 0) {
          await new Promise(() => undefined);
        }
        returned.push(page);
        return store.page(selection, start, limit, deadline);
      },
    }),
    ...options,
  });
  return {
    store,
    replaceRows,
    env: { CATALOG_BASE_URL: url, CATALOG_API_KEY: key },
    returned,
    answerOnly: (more) => {
      left = more;
    },
    isStalled: (requests = 1) => left <= -requests,
  };
}

/** An export of the whole catalog to a file in an empty folder, the only one of its service at this time. */
export async function interruptible(
  name: string,
  args: readonly string[],
  { env, returned, answerOnly, isStalled }: InterruptibleService,
  onEnd?: OnEnd,
): Promise<Interruptible> {
  const cwd = await temporaryFolder(onEnd);
  const command = ["export", "-o", `./${name}`, ...args];
  returned.length = 0;
  const pages = () => new Set(returned).size;
  let seams = 0;
  /** Waits until a run has this number of pages in its journal and asks for one more. */
  const untilJournaled = async (journaled: number, hasEnded: () => boolean) => {
    while ((await journaledPages(join(cwd, name))) < journaled || !isStalled()) {
      if (hasEnded()) {
        throw new Error("the export ended before it was interrupted");
      }
      await setTimeout(10);
    }
  };

  return {
    cwd,
    name,
    pages,
    repeats: () => returned.length - pages() - seams,
    run: (...flags) => {
      answerOnly(Number.POSITIVE_INFINITY);
      return runInProcess([...command, ...flags], { cwd, env });
    },
    runProcess: (...flags) => {
      answerOnly(Number.POSITIVE_INFINITY);
      return runCatalog([...command, ...flags], { cwd, env });
    },
    interrupt: async (signal, more, ...flags) => {
      answerOnly(more);
      const before = await journaledPages(join(cwd, name));
      const child = startCatalog([...command, ...flags], { cwd, env });
      let stderr = "";
      child.stderr?.on("data", (text) => {
        stderr += text;
      });
      const closed = once(child, "close");
      await untilJournaled(before + more, () => child.exitCode !== null);
      seams += await comparedSeams(join(cwd, name));
      child.kill(signal);
      const [code, by] = await closed;
      return { code, signal: by, stderr };
    },
    crash: async (more, ...flags) => {
      answerOnly(more);
      const before = await journaledPages(join(cwd, name));
      const stop = new AbortController();
      let hasEnded = false;
      const ended = runInProcess([...command, ...flags], { cwd, env, signal: stop.signal }).finally(() => {
        hasEnded = true;
      });
      await untilJournaled(before + more, () => hasEnded);
      seams += await comparedSeams(join(cwd, name));
      const files = await filesOf(cwd);
      stop.abort(new InterruptedError("SIGINT"));
      await ended;
      await rm(cwd, { recursive: true });
      await mkdir(cwd);
      await Promise.all(files.map(([file, bytes]) => writeFile(join(cwd, file), bytes)));
    },
  };
}

/** The files of a folder except locks. The journal is read first: what it names is in the other files already. */
async function filesOf(folder: string): Promise<[name: string, bytes: Buffer][]> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".lock"));
  names.sort((one, other) => Number(other.endsWith(".json")) - Number(one.endsWith(".json")));
  const files: [string, Buffer][] = [];
  for (const name of names) {
    files.push([name, await readFile(join(folder, name))]);
  }
  return files;
}

/** The files below a folder whose names have this ending, by their places, in base64. */
export async function filesBelow(folder: string, ending: string): Promise<Record<string, string>> {
  const places = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending)).sort();
  return Object.fromEntries(
    await Promise.all(places.map(async (place) => [place, await readFile(join(folder, place), "base64")] as const)),
  );
}

async function journaledPages(file: string): Promise<number> {
  const text = await readFile(`${file}.partial.json`, "utf8").catch(() => "");
  return text.split('{"kind":"page"').length - 1;
}

/** How often a resumed run compares the last kept pages of its slices. */
async function comparedSeams(file: string): Promise<number> {
  const lines = (await readStoreLines(`${file}.partial.json`)) as StoreContent | undefined;
  const interrupted = [...(lines?.pages.values() ?? [])].filter((pages) => pages.at(-1)?.cursor !== null);
  return interrupted.reduce((sum, pages) => sum + (pages.length > 1 ? 2 : 1), 0);
}

/** Changes the first line of a journal and corrects its checksum. */
export async function changeHead(file: string, changes: Record<string, unknown>): Promise<void> {
  const path = `${file}.partial.json`;
  const [head = "", ...rest] = (await readFile(path, "utf8")).split("\n");
  const { sum: _, ...entry } = JSON.parse(head) as Record<string, unknown>;
  const text = JSON.stringify({ ...entry, ...changes }).slice(0, -1);
  await writeFile(path, [`${text},"sum":"${hash("sha256", text).slice(0, 16)}"}`, ...rest].join("\n"));
}
