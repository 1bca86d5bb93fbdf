import { basename } from "node:path";
import { FileError } from "../errors.ts";
import { type Lock, lockOutput } from "../files/lock.ts";
import { ownFileAt, removeOwnFile } from "../files/own-file.ts";
import { openSpool } from "../files/spool.ts";
import { type FileDestination, partialPathOf, targetFileOf } from "../output/destination/file.ts";
import { createLookAhead, type LookAhead, type SavedPage } from "../pull/look-ahead.ts";
import type { FinishedSlice } from "../pull/reckoning.ts";
import {
  JOURNAL_VERSION,
  type JournalHead,
  type JournalSlice,
  type JournalWriter,
  journalPathOf,
  openJournal,
  readJournal,
} from "./journal.ts";
import { continuable, goOn, type OpenRemains } from "./remains.ts";
import type { SliceEnd } from "./sink.ts";

export interface ResumableOptions {
  head: JournalHead;
  /** Continue what an interrupted run left. */
  resume: boolean;
  /** Bytes of pages that may wait for their turn. */
  spoolLimit: number;
  tool: string;
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

/** The journal and the spool of one output, kept in step with its file. */
export interface Resumable {
  target: string;
  /** What an earlier run has safely written; undefined for a new output. */
  earlier: { slices: readonly JournalSlice[]; slicePages: number; started_at: string } | undefined;
  /** Bytes of the partial file that are to be kept; undefined where it is new. */
  continueAt: number | undefined;
  /** What became of an earlier run's remains, in sentences; empty where nothing is lost. */
  notes: readonly string[];
  lookAhead: LookAhead;
  /** The output is written to this file from now on. */
  opened(file: FileDestination): void;
  planned(slicePages: number): Promise<void>;
  /** The file holds `slice` whole. */
  finished(slice: FinishedSlice, end: SliceEnd): Promise<void>;
  /** Only the first `slices` slices stay. */
  rewound(slices: number): Promise<void>;
  /** To be called before the output gets its name: it is still this process's own. */
  settle(): Promise<void>;
  /** The output is in its place. */
  close(): Promise<void>;
  /** The output could not be opened: what was there before stays as it was. */
  release(): Promise<void>;
  /** The output is given up; resolves to whether a later run can continue it, else nothing of it is left. */
  leave(): Promise<boolean>;
}

/** Milliseconds between two times that what was written is made to survive a loss of power. */
const COMMIT_INTERVAL = 1_000;

/** Ends the longest name that is made from the output's, beside those of the manifest. */
const LONGEST_SUFFIX = ".partial.spool";
const LONGEST_NAME = 255;

function spoolPathOf(target: string): string {
  return `${target}.partial.spool`;
}

/**
 * Claims the output `path`: takes over what an interrupted run left there where `resume` says so and it is the same
 * export, else removes it.
 *
 * What is continued is checked first: each line of the journal by its checksum, the output slice by slice, and each page
 * of the spool. What is damaged is not used and will be read from the service again.
 *
 * @returns undefined where `path` is not a regular file and nothing can be resumed
 * @throws LockedError where another run is writing it
 * @throws FileError where the names beside the output are taken by something else than files of the tool
 */
export async function claimOutput(path: string, options: ResumableOptions): Promise<Resumable | undefined> {
  const target = await targetFileOf(path);
  if (target === undefined) {
    return undefined;
  }
  if (Buffer.byteLength(basename(target) + LONGEST_SUFFIX) > LONGEST_NAME) {
    const longest = LONGEST_NAME - LONGEST_SUFFIX.length;
    throw new FileError(
      `${path}: the name is too long; it may have ${longest} bytes, since the export needs names like NAME${LONGEST_SUFFIX} beside it`,
      path,
    );
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
  const [journalPath, partial, spoolPath] = [journalPathOf(target), partialPathOf(target), spoolPathOf(target)];
  const size = (await ownFileAt(partial))?.size;
  await ownFileAt(spoolPath);
  const found = await readJournal(journalPath);
  const notes: string[] = [];
  const earlier = continuable(found, size, partial, options, notes);
  const { journal, spool } =
    earlier === undefined
      ? await begin([partial, spoolPath, journalPath], options)
      : await goOn(earlier, { partial, journal: journalPath, spool: spoolPath }, options.spoolLimit, notes);
  const pages = earlier?.pages ?? new Map<string, SavedPage[]>();
  let slices = earlier?.slices.length ?? 0;
  let file: FileDestination | undefined;
  const sync = async () => {
    await file?.sync();
    await spool.sync();
    await journal.sync();
  };
  const commits = atIntervals(sync);
  const append: JournalWriter["append"] = async (entry) => {
    commits.assertSound();
    await journal.append(entry);
    commits.due();
  };
  const closeFiles = async () => {
    await commits.end();
    await spool.close();
    await journal.close();
  };
  const removeFiles = async () => {
    await removeOwnFile(spoolPath);
    await removeOwnFile(journalPath);
  };
  return {
    target,
    notes,
    earlier:
      earlier?.slicePages === undefined
        ? undefined
        : { slices: [...earlier.slices], slicePages: earlier.slicePages, started_at: earlier.head.started_at },
    continueAt: earlier === undefined || size === undefined ? undefined : (earlier.slices.at(-1)?.bytes ?? 0),
    lookAhead: createLookAhead(spool, pages, {
      saved: (slice, page) => append({ kind: "page", slice, ...page }),
      dropped: (slice) => append({ kind: "drop", slice }),
    }),
    opened: (opened) => {
      file = opened;
    },
    planned: async (slicePages) => {
      if (earlier?.slicePages !== slicePages) {
        await append({ kind: "plan", slice_pages: slicePages });
      }
    },
    finished: async ({ key }, end) => {
      await lock.assertHeld();
      await append({ kind: "slice", key, ...end });
      slices += 1;
    },
    rewound: async (kept) => {
      await append({ kind: "rewind", slices: kept });
      slices = kept;
    },
    settle: async () => {
      commits.assertSound();
      await lock.assertHeld();
    },
    close: async () => {
      await closeFiles();
      await removeFiles();
      await lock.release();
    },
    release: async () => {
      await closeFiles();
      if (earlier === undefined) {
        await removeFiles();
      }
      await lock.release();
    },
    leave: async () => {
      const isWorthIt = slices > 0 || pages.size > 0;
      await sync().catch(() => undefined);
      await closeFiles();
      if (!isWorthIt) {
        await removeOwnFile(partial);
        await removeFiles();
      }
      await lock.release();
      return isWorthIt && (await exists(partial)) && (await exists(journalPath));
    },
  };
}

async function begin(leftovers: readonly string[], options: ResumableOptions): Promise<OpenRemains> {
  const [, spoolPath = "", journalPath = ""] = leftovers;
  for (const path of leftovers) {
    await removeOwnFile(path);
  }
  const { head, tool, startedAt } = options;
  const journal = await openJournal(journalPath);
  await journal.append({ kind: "head", version: JOURNAL_VERSION, tool, started_at: startedAt, ...head });
  return { journal, spool: await openSpool(spoolPath, options.spoolLimit, []) };
}

/** Work that is done at intervals as long as it is due. Its failure comes out later. */
function atIntervals(work: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  let failure: { error: unknown } | undefined;
  const run = () => {
    timer = undefined;
    working = working.then(work).catch((error: unknown) => {
      failure = { error };
    });
  };
  return {
    due: () => {
      timer ??= setTimeout(run, COMMIT_INTERVAL).unref();
    },
    assertSound: () => {
      if (failure !== undefined) {
        throw failure.error;
      }
    },
    end: async () => {
      clearTimeout(timer);
      await working;
    },
  };
}

/** Whether it is still there: a folder may have been taken away. */
async function exists(path: string): Promise<boolean> {
  return await ownFileAt(path).then(
    (entry) => entry !== undefined,
    () => false,
  );
}
