/** The tool's folders on this platform (XDG on Linux); undefined without a home folder. */
export interface Folders {
  config: string | undefined;
  data: string | undefined;
  cache: string | undefined;
}

/** The part of a command's `Context` that reading settings and keys takes. */
export interface Environment {
  env: Readonly<Record<string, string | undefined>>;
  folders: Folders;
  pid: number;
  platform: NodeJS.Platform;
  /** The effective id of this user; undefined on Windows. */
  userId: number | undefined;
  /** Sends a signal to a process or, given a negative number, to a process group. */
  kill: (pid: number, signal: NodeJS.Signals) => void;
  /** Aborted by SIGINT and SIGTERM, with an `InterruptedError` as its reason, and by uncaught errors. */
  signal: AbortSignal;
  /** Milliseconds of a monotonic clock, for pacing and measuring. */
  elapsed: () => number;
  /** Resolves after `milliseconds`; rejects with the reason of the signal if it is aborted earlier. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Makes a text a secret: from now on, it is removed from everything that the tool prints.
   *
   * @throws UsageError if the command line contains it
   */
  protect: (secret: string) => void;
}
