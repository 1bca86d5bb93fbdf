import { basename } from "node:path";
import { FileError } from "../errors.ts";
import { type Lock, lockOutput } from "../files/lock.ts";
import { LONGEST_NAME, ownFileAt, removeOwnFile } from "../files/own-file.ts";
import { openSpool } from "../files/spool.ts";
import { type FileDestination, partialPathOf, targetFileOf } from "../output/destination/file.ts";
import { createLookAhead, type SavedPage } from "../pull/look-ahead.ts";
import type { FinishedSlice } from "../pull/slice-counts.ts";
import {
  JOURNAL_VERSION,
  type JournalHead,
  type JournalWriter,
  journalPathOf,
  openJournal,
  readJournal,
} from "./journal.ts";
import { continuable, continueRemains, type OpenRemains, type RemainsPaths } from "./remains.ts";
import type { SliceEnd } from "./sink.ts";

export interface ResumableOptions {
  head: JournalHead;
  /** Continue an interrupted run. */
  resume: boolean;
  /** Most bytes of waiting pages on disk. */
  spoolLimit: number;
  tool: string;
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

/** The journal and the spool of one output, and what an earlier run left of it. */
export type Resumable = Awaited<ReturnType<typeof claim>>;

/** Milliseconds between two syncs of the written data to disk. */
const COMMIT_INTERVAL = 1_000;

/** The longest suffix of the files of an unfinished output. */
const SPOOL_SUFFIX = ".partial.spool";

/**
 * Claims the output `path`. With `resume`, it continues what an interrupted run of the same export left there; otherwise
 * it removes it.
 *
 * Everything that is continued is checked first: each line of the journal by its checksum, the output slice by slice, and
 * each page of the spool. Damaged parts are not used and are read from the service again.
 *
 * @returns undefined if `path` is not a regular file, so that nothing can be resumed
 * @throws LockedError if another run is writing it
 * @throws FileError if a name next to the output belongs to a file that is not of this tool
 */
export async function claimOutput(path: string, options: ResumableOptions): Promise<Resumable | undefined> {
  const target = await targetFileOf(path);
  if (target === undefined) {
    return undefined;
  }
  const longest = LONGEST_NAME - SPOOL_SUFFIX.length;
  if (Buffer.byteLength(basename(target)) > longest) {
    throw new FileError(
      `${path}: the name is too long; it may have at most ${longest} bytes, because the export also needs names like NAME${SPOOL_SUFFIX}`,
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

async function claim(target: string, lock: Lock, options: ResumableOptions) {
  const paths = { partial: partialPathOf(target), spool: `${target}${SPOOL_SUFFIX}`, journal: journalPathOf(target) };
  const size = (await ownFileAt(paths.partial))?.size;
  await ownFileAt(paths.spool);
  const found = await readJournal(paths.journal);
  const notes: string[] = [];
  const earlier = continuable(found, size, paths.partial, options, notes);
  const { journal, spool } =
    earlier === undefined
      ? await startOver(paths, options)
      : await continueRemains(earlier, paths, options.spoolLimit, notes);
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
    commits.assertNoFailure();
    await journal.append(entry);
    commits.due();
  };
  const closeFiles = async () => {
    await commits.end();
    await spool.close();
    await journal.close();
  };
  const removeFiles = async () => {
    await removeOwnFile(paths.spool);
    await removeOwnFile(paths.journal);
  };
  return {
    target,
    /** Sentences about lost parts of an earlier run; empty if nothing was lost. */
    notes,
    /** What an earlier run has written; undefined for a new output. */
    earlier:
      earlier?.slicePages === undefined
        ? undefined
        : { slices: [...earlier.slices], slicePages: earlier.slicePages, started_at: earlier.head.started_at },
    /** Bytes of the partial file to keep; undefined for a new file. */
    continueAt: earlier === undefined || size === undefined ? undefined : (earlier.slices.at(-1)?.bytes ?? 0),
    lookAhead: createLookAhead(spool, pages, {
      saved: (slice, page) => append({ kind: "page", slice, ...page }),
      dropped: (slice) => append({ kind: "drop", slice }),
    }),
    /** From now on the output is written to this file. */
    opened: (opened: FileDestination) => {
      file = opened;
    },
    planned: async (slicePages: number) => {
      if (earlier?.slicePages !== slicePages) {
        await append({ kind: "plan", slice_pages: slicePages });
      }
    },
    /** The file holds all of the slice. */
    finished: async ({ key }: FinishedSlice, end: SliceEnd) => {
      await lock.assertHeld();
      await append({ kind: "slice", key, ...end });
      slices += 1;
    },
    /** Only the first `kept` slices are kept. */
    rewound: async (kept: number) => {
      await append({ kind: "rewind", slices: kept });
      slices = kept;
    },
    /** Call it before the output gets its name. Throws if another process has the output. */
    settle: async () => {
      commits.assertNoFailure();
      await lock.assertHeld();
    },
    /** The output is in its place. */
    close: async () => {
      await closeFiles();
      await removeFiles();
      await lock.release();
    },
    /** The output could not be opened; files from before stay unchanged. */
    release: async () => {
      await closeFiles();
      if (earlier === undefined) {
        await removeFiles();
      }
      await lock.release();
    },
    /** Stops writing the output. Resolves to whether a later run can continue it; otherwise everything is removed. */
    leave: async () => {
      const hasContent = slices > 0 || pages.size > 0;
      await sync().catch(() => undefined);
      await closeFiles();
      if (!hasContent) {
        await removeOwnFile(paths.partial);
        await removeFiles();
      }
      await lock.release();
      return hasContent && (await isOwnFile(paths.partial)) && (await isOwnFile(paths.journal));
    },
  };
}

async function startOver(paths: RemainsPaths, options: ResumableOptions): Promise<OpenRemains> {
  for (const path of [paths.partial, paths.spool, paths.journal]) {
    await removeOwnFile(path);
  }
  const { head, tool, startedAt } = options;
  const journal = await openJournal(paths.journal);
  await journal.append({ kind: "head", version: JOURNAL_VERSION, tool, started_at: startedAt, ...head });
  return { journal, spool: await openSpool(paths.spool, options.spoolLimit, []) };
}

/** Does `work` at intervals while it is due. `assertNoFailure` throws its error. */
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
    assertNoFailure: () => {
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

/** Whether the file still exists: its folder may have been removed. */
async function isOwnFile(path: string): Promise<boolean> {
  return (await ownFileAt(path).catch(() => undefined)) !== undefined;
}
