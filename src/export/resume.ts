import { rm } from "node:fs/promises";
import { FileError, UsageError } from "../errors.ts";
import { type Lock, lockOutput } from "../files/lock.ts";
import { replaceFile } from "../files/replace-file.ts";
import { sizeOf } from "../files/size-of.ts";
import { type FileDestination, partialPathOf, targetFileOf } from "../output/destination/file.ts";
import type { FinishedSlice } from "../pull/reckoning.ts";
import {
  difference,
  JOURNAL_VERSION,
  type Journal,
  type JournalHead,
  journalPathOf,
  readJournal,
  removeJournal,
} from "./journal.ts";
import type { SliceEnd } from "./sink.ts";

export interface ResumableOptions {
  head: JournalHead;
  /** Continue what an interrupted run left. */
  resume: boolean;
  tool: string;
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

/** The journal of one output, kept in step with its file. */
export interface Resumable {
  target: string;
  /** What an earlier run has safely written; undefined for a new output. */
  earlier: (Pick<Journal, "slices" | "started_at"> & { slicePages: number }) | undefined;
  /** Bytes of the partial file that are to be kept; undefined where it is new. */
  continueAt: number | undefined;
  planned(slicePages: number): void;
  /**
   * The file holds `slice` whole. It is made safe while the rows of the next are written, together with what finishes
   * meanwhile.
   *
   * @throws FileError where that failed for a slice of before
   */
  finished(file: FileDestination, slice: FinishedSlice, end: SliceEnd): void;
  /** Resolves when every finished slice is safe; throws as `finished` does. */
  settle(): Promise<void>;
  /** Only the first `slices` slices stay. */
  rewound(slices: number): Promise<void>;
  /** The output is in its place. */
  close(): Promise<void>;
  /** The output could not be opened: what was there before stays as it was. */
  release(): Promise<void>;
  /** The output is given up; resolves to whether a later run can continue it, else nothing of it is left. */
  leave(): Promise<boolean>;
}

/**
 * Claims the output `path`: reports what an interrupted run left there, or takes it over where `resume` says so.
 *
 * @returns undefined where `path` is not a regular file and nothing can be resumed
 * @throws FileError where another run is writing it, or left it unfinished and `resume` is false
 * @throws UsageError where the unfinished output is another export
 */
export async function claimOutput(path: string, options: ResumableOptions): Promise<Resumable | undefined> {
  const target = await targetFileOf(path);
  if (target === undefined) {
    return undefined;
  }
  const lock = await lockOutput(target, options.pid);
  try {
    return await claim(target, lock, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function claim(target: string, lock: Lock, options: ResumableOptions): Promise<Resumable> {
  const journalPath = journalPathOf(target);
  const partial = partialPathOf(target);
  const size = await sizeOf(partial);
  const found = await readJournal(journalPath);
  // A run that ended before its first slice was complete left nothing to continue.
  const isBarren = found?.slices.length === 0;
  if (size !== undefined && !isBarren && !options.resume) {
    throw new FileError(unfinished(partial, found), partial);
  }
  const earlier = size === undefined || isBarren ? undefined : found;
  if (earlier !== undefined) {
    assertSame(earlier, options.head);
  } else {
    await rm(partial, { force: true });
  }
  const journal: Journal = {
    version: JOURNAL_VERSION,
    ...options.head,
    tool: options.tool,
    started_at: earlier?.started_at ?? options.startedAt,
    slice_pages: earlier?.slice_pages ?? null,
    slices: earlier?.slices ?? [],
  };
  let savedSlices = 0;
  const save = async (slices: number) => {
    await replaceFile(journalPath, `${JSON.stringify({ ...journal, slices: journal.slices.slice(0, slices) })}\n`);
    savedSlices = slices;
  };
  await save(journal.slices.length);
  const commits = inBackground(async (file: FileDestination) => {
    const slices = journal.slices.length;
    await file.sync();
    await save(slices);
  });
  const { slice_pages } = journal;
  return {
    target,
    earlier:
      earlier === undefined || slice_pages === null
        ? undefined
        : { ...earlier, slices: [...earlier.slices], slicePages: slice_pages },
    continueAt: earlier === undefined ? undefined : (earlier.slices.at(-1)?.bytes ?? 0),
    planned: (slicePages) => {
      journal.slice_pages = slicePages;
    },
    finished: (file, { key }, end) => {
      journal.slices.push({ key, ...end });
      commits.start(file);
    },
    settle: commits.settle,
    rewound: async (slices) => {
      await commits.settle();
      journal.slices.length = slices;
      await save(slices);
    },
    close: async () => {
      await removeJournal(journalPath);
      await lock.release();
    },
    release: async () => {
      if (earlier === undefined) {
        await removeJournal(journalPath);
      }
      await lock.release();
    },
    leave: async () => {
      if (savedSlices === 0) {
        await rm(partial, { force: true });
        await removeJournal(journalPath);
      }
      await lock.release();
      return savedSlices > 0 && (await exists(partial)) && (await exists(journalPath));
    },
  };
}

/** Work of which one turn runs at a time; what is asked for meanwhile is done in one more. Its failure comes out later. */
function inBackground<T>(work: (subject: T) => Promise<void>): { start(subject: T): void; settle(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isDue = false;
  let failure: { error: unknown } | undefined;
  const run = async (subject: T) => {
    try {
      while (isDue) {
        isDue = false;
        await work(subject);
      }
    } catch (error) {
      failure = { error };
    } finally {
      running = undefined;
    }
  };
  const assertSound = () => {
    if (failure !== undefined) {
      throw failure.error;
    }
  };
  return {
    start: (subject) => {
      assertSound();
      isDue = true;
      running ??= run(subject);
    },
    settle: async () => {
      await running;
      assertSound();
    },
  };
}

function assertSame(journal: Journal, head: JournalHead): void {
  const different = difference(journal, head);
  if (different !== undefined) {
    throw new UsageError(
      `--resume cannot continue another export: ${different}. Repeat the command line of then, or delete the .partial files.`,
      { flag: "--resume" },
    );
  }
}

function unfinished(partial: string, journal: Journal | undefined): string {
  const rows = journal?.slices.reduce((sum, slice) => sum + slice.rows, 0) ?? 0;
  const since = journal === undefined ? "" : ` of ${journal.started_at}, with ${rows} rows`;
  return `${partial} is left of an interrupted export${since}; add --resume to continue it, or delete it to start anew`;
}

/** Whether it is still there: a folder may have been taken away. */
async function exists(path: string): Promise<boolean> {
  return await sizeOf(path).then(
    (size) => size !== undefined,
    () => false,
  );
}
