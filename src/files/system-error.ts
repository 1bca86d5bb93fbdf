import { FileError } from "../contract/errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something else has that name",
  EFBIG: "the file grew larger than the system allows",
  EIO: "the device failed to read or write",
  EISDIR: "it is a folder, not a file",
  ELOOP: "too many symbolic links",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a folder",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
};

/** A failed system call on `path` in plain words. */
export function fileError(path: string, error: unknown, detail = ""): FileError {
  if (error instanceof FileError) {
    return error;
  }
  const reason = REASONS[errorCode(error) ?? ""] ?? (error instanceof Error ? error.message : String(error));
  return new FileError(`${path}: ${reason}${detail}`, path, error);
}

/** Runs `action`; its failure becomes a FileError about `path`. */
export async function withFileError<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw fileError(path, error);
  }
}

/** As `withFileError`, but resolves to undefined if the file does not exist. */
export async function ifPresent<T>(path: string, action: () => Promise<T>): Promise<T | undefined> {
  return await withFileError(path, action).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") {
      throw error;
    }
    return undefined;
  });
}

/** The system's code of an error, also for errors made by `fileError`. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof FileError) {
    return errorCode(error.cause);
  }
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
