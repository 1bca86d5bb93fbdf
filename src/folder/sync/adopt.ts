import { join } from "node:path";
import { type FileMetaData, parquetSchema } from "hyparquet";
import { InputError } from "../../contract/errors.ts";
import { firstOf } from "../../contract/values/counted.ts";
import { PARQUET_WRITER } from "../../export/formats/parquet/parquet.ts";
import { boundedMetadata } from "../../export/formats/parquet/parquet-bounds.ts";
import { columnsOf } from "../../export/formats/row-members.ts";
import { DAY_FILE, type DayFolders, placeOfDay } from "../day-files.ts";
import type { DayState, SyncState } from "../folder-state.ts";
import { openParquet } from "../parquet-file.ts";

/** Most names that an error lists. */
const NAMED = 3;

/**
 * Handles day files that the folder's state does not list. Sync never replaces or removes a file that it may not have
 * written. With `adopt` it takes over files whose Parquet metadata say that this tool wrote them and that all rows are of
 * that day.
 *
 * @param state undefined if the folder has none
 * @returns the days taken over; they must be pulled again, because their rows are not known
 * @throws InputError if there are such files and they cannot be taken over, or `adopt` is false
 */
export async function adoptDays(
  { days, strangers }: DayFolders,
  state: SyncState | undefined,
  { folder, adopt, isWanted }: { folder: string; adopt: boolean; isWanted: (day: string) => boolean },
): Promise<Record<string, DayState>> {
  const known = new Set([...Object.keys(state?.days ?? {}), ...(state?.pending ?? [])]);
  const unknown = days.filter((day) => !known.has(day));
  const foreign = [...unknown.map(placeOfDay), ...(state === undefined ? strangers : [])];
  if (foreign.length === 0) {
    return {};
  }
  if (!adopt) {
    throw new InputError(
      (nameOf) =>
        `${folder} has day folders that \`catalog sync\` does not know: ${firstOf(foreign, NAMED)}. Name another folder. If catalog wrote them, take them over with ${nameOf("adopt")}.`,
    );
  }
  const adopted: Record<string, DayState> = {};
  const refused = state === undefined ? [...strangers] : [];
  for (const day of unknown) {
    const content = await contentIfOurs(join(folder, placeOfDay(day)), day);
    content === undefined ? refused.push(placeOfDay(day)) : Object.assign(adopted, { [day]: content });
  }
  const refusal = (reason: string) =>
    new InputError(`${folder} cannot be taken over, because ${reason}`, { input: "adopt" });
  if (refused.length > 0) {
    const names = firstOf(refused, NAMED);
    throw refusal(`\`catalog sync\` did not write ${names}. Move them away, or name another folder.`);
  }
  const outside = unknown.filter((day) => !isWanted(day));
  if (outside.length > 0) {
    const names = firstOf(outside, NAMED);
    throw refusal(`it has days outside the filters: ${names}. Use filters that include them, or move them away.`);
  }
  return adopted;
}

/** Undefined if this tool did not write the file, or for another day. */
async function contentIfOurs(path: string, day: string): Promise<DayState | undefined> {
  const { buffer, bytes, sha256, close } = await openParquet(path);
  const metadata = await boundedMetadata(buffer).catch(() => undefined);
  await close();
  return metadata !== undefined && isOurs(metadata, day)
    ? { rows: Number(metadata.num_rows), digest: "", bytes, sha256, counts: {} }
    : undefined;
}

/**
 * Every version of the tool writes its name and the columns of a row in order. A file with the column `crawl_date`, as
 * earlier versions wrote it, has statistics of it, too.
 */
function isOurs(metadata: FileMetaData, day: string): boolean {
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  const crawled = columns.indexOf("crawl_date");
  const expected = crawled < 0 ? columnsOf(DAY_FILE) : DAY_FILE.known;
  return (
    metadata.created_by === PARQUET_WRITER &&
    columns.join() === expected.join() &&
    (crawled < 0 ||
      metadata.row_groups.every((group) => {
        const statistics = group.columns[crawled]?.meta_data?.statistics;
        return isDay(statistics?.min_value, day) && isDay(statistics?.max_value, day);
      }))
  );
}

function isDay(value: unknown, day: string): boolean {
  return value instanceof Date && value.toISOString().slice(0, 10) === day;
}
