import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { FileError } from "../contract/errors.ts";
import { fsyncFolder } from "./fsync.ts";
import { errorCode, fileError, ifPresent, withFileError } from "./system-error.ts";

/** Maximum bytes of a file name on common file systems. */
export const LONGEST_NAME = 255;

/** Missing on Windows, where creating a link needs a privilege. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * Creates one of the tool's own files, such as a lock, a journal or an unfinished output. Fails if the path exists,
 * even as a link: in a folder that others can write, a planted link would lead the tool to another file.
 *
 * @throws FileError with the `errorCode` EEXIST if something has that name
 */
export function createOwnFile(path: string, { mode = 0o666 } = {}): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  return withFileError(path, () => open(path, flags, mode));
}

/**
 * Opens one of the tool's own files, and creates it if the flags have O_CREAT and there is none.
 *
 * @throws FileError if it is a link (even a dangling one), a folder or a named pipe; its `errorCode` is ENOENT if there is none
 */
export async function openOwnFile(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  // With O_NOFOLLOW, `open` itself refuses links.
  if (NO_FOLLOW === 0) {
    await ownFileAt(path);
  }
  try {
    // O_NONBLOCK, because opening a planted named pipe would block.
    const file = await open(path, flags | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
    const entry = await file.stat();
    if (!entry.isFile()) {
      await file.close();
      throw notOwn(path, entryKindOf(entry), "a file");
    }
    return file;
  } catch (error) {
    throw errorCode(error) === "ELOOP" ? notOwn(path, "a symbolic link", "a file") : fileError(path, error);
  }
}

/**
 * Reads one of the tool's own files as text.
 *
 * @returns undefined if there is none
 * @throws FileError as `openOwnFile` does, or if it is longer than `maxBytes`
 */
export async function readOwnFile(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await openOwnFile(path).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) {
      return undefined;
    }
    throw error;
  });
  try {
    const { size = 0 } = (await file?.stat()) ?? {};
    if (size > maxBytes) {
      throw new FileError(`${path} has ${size} bytes; at most ${maxBytes} are read`, path);
    }
    return await file?.readFile("utf8");
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await file?.close();
  }
}

/**
 * The metadata of one of the tool's own files; undefined if there is none.
 *
 * @throws FileError if it is a link, a folder or a named pipe
 */
export async function ownFileAt(path: string): Promise<Stats | undefined> {
  const entry = await ifPresent(path, () => lstat(path));
  if (entry !== undefined && !entry.isFile()) {
    throw notOwn(path, entryKindOf(entry), "a file");
  }
  return entry;
}

/** Removes one of the tool's own files. @throws FileError if it is a link, a folder or a named pipe */
export async function removeOwnFile(path: string): Promise<void> {
  await ownFileAt(path);
  await withFileError(path, () => rm(path, { force: true }));
}

/**
 * Creates one of the tool's own folders, if it does not exist yet. Its parent must exist.
 *
 * @throws FileError if a link or a file has that name
 */
export async function makeOwnFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") {
      throw fileError(path, error);
    }
    await assertOwnFolder(path);
  }
}

/**
 * Checks that none of the tool's own folders is a link or a file. Through a link, the tool would replace or remove files
 * of somebody else. A missing folder is fine.
 *
 * @throws FileError if a link or a file has that name
 */
export async function assertOwnFolder(path: string): Promise<void> {
  const entry = await ifPresent(path, () => lstat(path));
  if (entry !== undefined && !entry.isDirectory()) {
    throw notOwn(path, entryKindOf(entry), "a folder");
  }
}

/**
 * Creates a folder that the user named, and its missing parents, so that they survive a loss of power. Node's recursive
 * `mkdir` never ends if the system reports ENOENT below an existing folder, as Linux does in `/proc`.
 *
 * @param mode permissions of the new folders
 * @param named the folder named in errors
 * @throws FileError if it cannot be made, or something else has its name
 */
export async function makeFolderPath(path: string, mode = 0o777, named = path): Promise<void> {
  const isFolder = async () => (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (await isFolder()) {
    return;
  }
  const parent = dirname(path);
  if (parent !== path) {
    await makeFolderPath(parent, mode, named);
  }
  try {
    await mkdir(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!(await isFolder())) {
      const entry = await lstat(path).catch(() => undefined);
      throw entry === undefined
        ? fileError(named, error)
        : new FileError(`${path} is ${entryKindOf(entry)}; a folder is needed`, path, error);
    }
  }
  await withFileError(parent, () => fsyncFolder(parent));
}

function notOwn(path: string, found: string, wanted: string): FileError {
  return new FileError(
    `${path} is ${found}, but catalog needs ${wanted} of its own there; remove it or use another name`,
    path,
  );
}

function entryKindOf(entry: Stats): string {
  const kinds = [
    [entry.isSymbolicLink(), "a symbolic link"],
    [entry.isDirectory(), "a folder"],
    [entry.isFIFO(), "a named pipe"],
    [entry.isFile(), "a file"],
  ] as const;
  return kinds.find(([is]) => is)?.[1] ?? "a special file";
}
