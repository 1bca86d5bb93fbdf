/** The folders of this tool on this platform (XDG on Linux); each is undefined if the user has no home folder. */
export interface Folders {
  config: string | undefined;
  data: string | undefined;
  cache: string | undefined;
}

/** What settings and keys are read with. The `Context` of a command has all of it. */
export interface Environment {
  env: Readonly<Record<string, string | undefined>>;
  folders: Folders;
  pid: number;
  platform: NodeJS.Platform;
  /** The effective id of this user; undefined on Windows. */
  userId: number | undefined;
  /** Sends a signal to a process or, by its negative number, to a process group. */
  kill: (pid: number, signal: NodeJS.Signals) => void;
  /** Aborted by SIGINT and SIGTERM, with an `InterruptedError` as its reason, and by an error that nothing caught. */
  signal: AbortSignal;
  /** Milliseconds of a monotonic clock, for pacing and measuring. */
  elapsed: () => number;
  /** Resolves after `milliseconds`; rejects with the reason of the signal if it is aborted earlier. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Makes a text a secret, which from now on is left out of everything that goes to `stderr` and `print`.
   *
   * @throws UsageError if the command line holds it
   */
  protect: (secret: string) => void;
}
