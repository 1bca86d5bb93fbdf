import type { Problem } from "./problems.ts";

/** A flag, an argument or a configured value is wrong. */
export class UsageError extends Error {
  /** The closest valid values, best first. */
  readonly suggestions: readonly string[];
  /** The wrong flag (`--retailer`), if there is one. */
  readonly flag: string | undefined;
  /** The value as typed, if the value of a flag is wrong. */
  readonly value: string | undefined;

  /** @param message one or more lines; lines after the first are shown indented */
  constructor(message: string, details: { suggestions?: readonly string[]; flag?: string; value?: string } = {}) {
    super(message);
    this.suggestions = details.suggestions ?? [];
    this.flag = details.flag;
    this.value = details.value;
  }
}

/** The command line is valid, but names something that does not exist, such as a sku, a brand or a file. */
export class NotFoundError extends UsageError {}

/** The API key, or the password for a proxy, is missing or cannot be valid. The message never contains it. */
export class CredentialsError extends Error {}

/**
 * The service responded with an error. `problem` has the members that could be read from the body, `status` comes from the
 * response line.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;
  /** What is visibly wrong with the key that was sent, if anything. */
  readonly keyFlaw: string | undefined;

  constructor(message: string, details: { status: number; problem: Partial<Problem>; keyFlaw?: string | undefined }) {
    super(message);
    this.status = details.status;
    this.problem = details.problem;
    this.keyFlaw = details.keyFlaw;
  }
}

/** No complete response arrived: connection refused or reset, name not resolved, body cut off, or timeout. */
export class NetworkError extends Error {}

/** The command took longer than its `--max-time`. */
export class TimeLimitError extends Error {}

/** The certificate of the service or of a proxy is not trusted. Trying again does not help. */
export class UntrustedError extends Error {}

/** A successful response broke the contract. Its rows cannot be trusted. */
export class ContractError extends Error {
  readonly requestId: string | undefined;
  /** Whether the response may have been damaged in transit, so that another attempt may succeed. */
  readonly damaged: boolean;

  constructor(message: string, requestId?: string, damaged = false) {
    super(message);
    this.requestId = requestId;
    this.damaged = damaged;
  }
}

/** The set changed while it was read, or the row counts do not match: the output cannot be trusted. */
export class SetChangedError extends Error {}

/** A sync would remove too much, perhaps because of a wrong response. The message names the flag that allows it. */
export class ShrinkError extends Error {}

/** An exported file does not match its manifest. */
export class MismatchError extends Error {}

/** The state of a synced folder was changed by something else than `sync`. The message says how to start over. */
export class AlteredFolderError extends Error {}

/** Nothing matched, and `--fail-on-empty` is set. */
export class EmptyResultError extends Error {}

/** The status feed reports that the service is not operational. */
export class NotOperationalError extends Error {}

/** The condition of `--fail-if` is met. The output is complete. */
export class ConditionHoldsError extends Error {}

/** A package that a command needs is not installed. */
export class MissingPackageError extends Error {}

/** A local file or folder could not be read or written. */
export class FileError extends Error {
  readonly path: string;
  /** Paths that may be meant instead, best first. */
  readonly suggestions: readonly string[];

  constructor(message: string, path: string, cause?: unknown, suggestions: readonly string[] = []) {
    super(message, { cause });
    this.path = path;
    this.suggestions = suggestions;
  }
}

/** Another process is writing the output or the folder. */
export class LockedError extends Error {}

/** The reader closed stdout (`| head`). This is not reported. */
export class ClosedPipeError extends Error {}

/** The user or the system ended the command. */
export class InterruptedError extends Error {
  readonly signal: "SIGINT" | "SIGTERM";

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(signal === "SIGINT" ? "interrupted" : "terminated");
    this.signal = signal;
  }
}

/** The exit codes that scripts may rely on. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  credentials: 3,
  notFound: 4,
  unavailable: 5,
  changed: 6,
  empty: 7,
  condition: 8,
  interrupted: 130,
  terminated: 143,
} as const;

/** Whether the same request may succeed later, for a response that does not say so itself. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The exit code for an HTTP status. It is also used for unknown codes and for bodies without a code. */
export function exitCodeOfStatus({ status, keyFlaw }: Pick<ApiError, "status"> & Partial<ApiError>): number {
  if ([401, 403, 407].includes(status) || (status === 431 && keyFlaw !== undefined)) {
    return EXIT.credentials;
  }
  if (status === 404) {
    return EXIT.notFound;
  }
  if (isTemporary(status)) {
    return EXIT.unavailable;
  }
  // 431: the request headers are too long, which the user cannot fix.
  return status >= 400 && status !== 431 ? EXIT.usage : EXIT.failure;
}
