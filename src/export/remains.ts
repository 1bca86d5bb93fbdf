import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { openOwnFile, ownFileAt, removeOwnFile } from "../files/own-file.ts";
import { openSpool, type Spool } from "../files/spool.ts";
import { fileError } from "../files/system-error.ts";
import type { SavedPage } from "../pull/look-ahead.ts";
import {
  firstDifference,
  type Journal,
  type JournalHead,
  type JournalSlice,
  type JournalWriter,
  openJournal,
} from "./journal.ts";

/** The files of an unfinished output. */
export type RemainsPaths = Readonly<Record<"partial" | "spool" | "journal", string>>;

/** The files next to an output that is being written. */
export interface OpenRemains {
  journal: JournalWriter;
  spool: Spool;
}

/** The files of an earlier run that this run continues; `notes` says why it does not. */
export function continuable(
  found: Journal | undefined,
  size: number | undefined,
  partial: string,
  { resume, head }: { resume: boolean; head: JournalHead },
  notes: string[],
): Journal | undefined {
  const isEmpty = found !== undefined && !found.isDamaged && found.slices.length === 0 && found.pages.size === 0;
  if ((found === undefined && size === undefined) || isEmpty) {
    return undefined;
  }
  const left = `${partial} was left by an interrupted run`;
  if (found === undefined) {
    notes.push(`${left}, without a journal that this version of catalog understands; the export starts over`);
    return undefined;
  }
  if (!resume) {
    // If the output is already in its place, only the journal was left behind.
    if (size !== undefined) {
      notes.push(`${left}; the export starts over, since --resume is not given`);
    }
    return undefined;
  }
  const different = firstDifference(found.head, head);
  if (different !== undefined) {
    notes.push(`the export starts over, since --resume cannot continue another export: ${different}`);
    return undefined;
  }
  return found;
}

/** Continues with the undamaged part of what an earlier run left. */
export async function continueRemains(
  earlier: Journal,
  paths: RemainsPaths,
  spoolLimit: number,
  notes: string[],
): Promise<OpenRemains> {
  const { slices, pages } = earlier;
  const { partial, spool: spoolPath } = paths;
  if (earlier.isDamaged) {
    notes.push(`${paths.journal} is cut or damaged; the rows of its last lines are read again`);
  }
  const journal = await openJournal(paths.journal, earlier.length);
  const intact = await intactSlices(partial, slices);
  if (intact < slices.length) {
    notes.push(`${partial} is damaged; ${slices.length - intact} of its ${slices.length} parts are read again`);
    slices.length = intact;
    await journal.append({ kind: "rewind", slices: intact });
  }
  const hasSpool = (await ownFileAt(spoolPath)) !== undefined;
  const extents = hasSpool ? [...pages.values()].flat().map(({ extent }) => extent) : [];
  if (!hasSpool || extents.length === 0) {
    await removeOwnFile(spoolPath);
  }
  const spool = await openSpool(spoolPath, spoolLimit, extents);
  let damaged = 0;
  for (const [slice, all] of pages) {
    const kept = hasSpool ? await intactPages(spool, all) : 0;
    if (kept < all.length) {
      damaged += all.length - kept;
      await journal.append({ kind: "drop", slice });
      all.length = kept;
      for (const page of all) {
        await journal.append({ kind: "page", slice, ...page });
      }
      if (kept === 0) {
        pages.delete(slice);
      }
    }
  }
  if (damaged > 0) {
    notes.push(`${spoolPath} is damaged or missing; ${damaged} pages are read again`);
  }
  return { journal, spool };
}

const CHUNK = 1024 * 1024;

/** Number of leading slices that the partial file holds undamaged; reads it once. */
async function intactSlices(partial: string, slices: readonly JournalSlice[]): Promise<number> {
  if ((await ownFileAt(partial)) === undefined) {
    return 0;
  }
  const handle = await openOwnFile(partial);
  const chunk = Buffer.allocUnsafe(CHUNK);
  try {
    let at = 0;
    for (const [index, { bytes, crc }] of slices.entries()) {
      let found = 0;
      while (at < bytes) {
        const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK, bytes - at), at);
        if (bytesRead === 0) {
          return index;
        }
        found = crc32(chunk.subarray(0, bytesRead), found);
        at += bytesRead;
      }
      if (found !== crc) {
        return index;
      }
    }
    return slices.length;
  } catch (error) {
    throw fileError(partial, error);
  } finally {
    await handle.close();
  }
}

/** Number of leading pages of a slice that the spool holds undamaged. */
async function intactPages(spool: Spool, pages: readonly SavedPage[]): Promise<number> {
  for (const [index, { place, extent }] of pages.entries()) {
    if (!hash("sha256", await spool.read(extent)).startsWith(place.digest)) {
      return index;
    }
  }
  return pages.length;
}
