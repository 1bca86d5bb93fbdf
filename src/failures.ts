import type { ProblemCode } from "./contract/problems.ts";
import {
  ApiError,
  ClosedPipeError,
  ContractError,
  CredentialsError,
  EmptyResultError,
  EXIT,
  FileError,
  InterruptedError,
  LockedError,
  MismatchError,
  NetworkError,
  NotOperationalError,
  SetChangedError,
  ShrinkError,
  UsageError,
} from "./errors.ts";

/** A failure that the service's error catalogue does not know: of this tool, or of what stands before the service. */
export interface LocalProblem {
  /** Stable and machine-readable; none of the service's. */
  code: string;
  title: string;
  exitCode: number;
  /** Whether the same command line may succeed later. */
  retryable: boolean;
  /** What the code means and what causes it. */
  meaning: string;
  /** What every report of it ends with; absent where its message says what to do. */
  recovery?: string;
  /** What to do about it with this tool. */
  remedy: string;
}

const KINDS = [
  [
    UsageError,
    {
      code: "usage",
      title: "Wrong usage",
      exitCode: EXIT.usage,
      retryable: false,
      meaning: "A flag, an argument or a configured value is wrong; nothing was requested.",
      remedy:
        "The error names the flag and what may have been meant. `catalog help COMMAND` lists the flags, `catalog help environment` the variables.",
    },
  ],
  [
    CredentialsError,
    {
      code: "credentials",
      title: "No usable API key",
      exitCode: EXIT.credentials,
      retryable: false,
      meaning: "No API key was found, or the one found cannot be a key; it was not sent.",
      remedy:
        "Store a key with `catalog auth login`, or set CATALOG_API_KEY or CATALOG_API_KEY_FILE. `catalog auth status` shows which key is used.",
    },
  ],
  [
    NetworkError,
    {
      code: "network",
      title: "No complete answer from the service",
      exitCode: EXIT.unavailable,
      retryable: true,
      meaning: "At every attempt the connection was refused or cut, the name not resolved, or the time over.",
      recovery: "Check the address and the network, or run the command again later.",
      remedy:
        "`--verbose` shows each attempt. A slow service is waited for with --timeout and --retries, a proxy is set with HTTPS_PROXY, a certificate of your own is trusted with NODE_EXTRA_CA_CERTS. `catalog export -o FILE --resume` goes on where it stopped.",
    },
  ],
  [
    ContractError,
    {
      code: "contract",
      title: "The service broke its contract",
      exitCode: EXIT.failure,
      retryable: false,
      meaning: "A successful answer was not what the API promises: a web page, or sums that differ.",
      recovery: "Do not use the output; report this to the operator of the service.",
      remedy:
        "Check that the address is that of the API and that no portal or proxy answers in its place: `catalog auth status`. `--verbose` shows the id of each request.",
    },
  ],
  [
    SetChangedError,
    {
      code: "set_changed",
      title: "The set changed while it was read",
      exitCode: EXIT.changed,
      retryable: true,
      meaning: "Rows came or went while they were read, or the rows read are not as many as were counted.",
      recovery: "Do not use the output; run the command again.",
      remedy:
        "Export to a file with --output: what is in a file is read again by itself, what went into a pipe cannot be taken back.",
    },
  ],
  [
    ShrinkError,
    {
      code: "shrunk",
      title: "More than half of the copy would go",
      exitCode: EXIT.changed,
      retryable: true,
      meaning:
        "The service no longer has more than half of the rows that the synced folder holds. That may be a wrong answer, so they are kept.",
      recovery: "Run the command again later; if the rows are really gone, add --allow-shrink.",
      remedy: "See what the service has: `catalog coverage` with the filters of the folder.",
    },
  ],
  [
    MismatchError,
    {
      code: "mismatch",
      title: "The file is not what its manifest says",
      exitCode: EXIT.changed,
      retryable: false,
      meaning: "The file or its manifest was changed, cut or damaged after the export.",
      recovery: "Do not use the file; export it again.",
      remedy: "Export it again with `catalog export -o FILE --manifest`.",
    },
  ],
  [
    EmptyResultError,
    {
      code: "empty",
      title: "Nothing matched",
      exitCode: EXIT.empty,
      retryable: false,
      meaning: "Nothing matches the filters, and --fail-on-empty asked for that to be a failure.",
      remedy:
        "See which days there are: `catalog coverage` with the same filters, without the dates. Leave --fail-on-empty away where nothing is an answer.",
    },
  ],
  [
    NotOperationalError,
    {
      code: "not_operational",
      title: "The service does not fully work",
      exitCode: EXIT.unavailable,
      retryable: true,
      meaning: "The status feed says that a suite is degraded or out, or an incident is open.",
      remedy: "Run `catalog status` again later; requests may work all the same.",
    },
  ],
  [
    FileError,
    {
      code: "file",
      title: "A local file could not be read or written",
      exitCode: EXIT.failure,
      retryable: false,
      meaning: "A file or folder of this machine is missing, in use, not permitted, or the disk is full.",
      remedy:
        "The error names the path. An output of before is still in its place; `catalog export -o FILE --resume` goes on with the one that was begun.",
    },
  ],
  [
    LockedError,
    {
      code: "locked",
      title: "Another run is writing there",
      exitCode: EXIT.unavailable,
      retryable: true,
      meaning: "Another process is writing the same output file or folder.",
      recovery: "Run the command again when the other one has ended.",
      remedy:
        "Run it again later. The lock of a process that was killed does not count: at once on the same machine, after a minute on another machine or in another container.",
    },
  ],
  [
    InterruptedError,
    {
      code: "interrupted",
      title: "Interrupted",
      exitCode: EXIT.interrupted,
      retryable: true,
      meaning: `The user ended the command with Ctrl-C, or the system did with SIGTERM (exit code ${EXIT.terminated}).`,
      remedy: "`catalog export -o FILE --resume` goes on where it stopped; `catalog sync` does so by itself.",
    },
  ],
  [
    ClosedPipeError,
    {
      code: "closed_pipe",
      title: "The reader went away",
      exitCode: EXIT.ok,
      retryable: false,
      meaning: "The reader of stdout had enough, as `head` has; no failure, and nothing is reported.",
      remedy: "Nothing. `--max-rows` ends an export early, too.",
    },
  ],
] as const satisfies readonly (readonly [unknown, LocalProblem])[];

/** An error status whose body is no problem document; what stands here is of a 5xx. */
export const HTTP_ERROR: LocalProblem = {
  code: "http_error",
  title: "An error without a problem document",
  exitCode: EXIT.unavailable,
  retryable: true,
  meaning: "The answer was an error of a proxy or a gateway before the service, or of another service.",
  remedy:
    "429 and 5xx were tried again by themselves: run the command again later. At another status check the address: `catalog auth status`; the exit code is then 3 for 401, 403 and 407, 4 for 404, 1 for 431, and else 2.",
};

/** Anything unforeseen. */
const UNEXPECTED: LocalProblem = {
  code: "unexpected",
  title: "Unexpected failure",
  exitCode: EXIT.failure,
  retryable: false,
  meaning: "Something happened that the tool does not foresee.",
  recovery: "This is a fault of catalog. Please report it, with the command line and what it prints with --verbose.",
  remedy: "Run the command again with `--verbose`, which shows where in the tool it happened.",
};

export const LOCAL_PROBLEMS: readonly LocalProblem[] = [...KINDS.map(([, problem]) => problem), HTTP_ERROR, UNEXPECTED];

/** What a failure without an answer of the service is. */
export function localProblemOf(error: unknown): LocalProblem {
  return KINDS.find(([kind]) => error instanceof kind)?.[1] ?? UNEXPECTED;
}

const EXIT_CODES: Readonly<Record<string, number>> = {
  invalid_request: EXIT.usage,
  unknown_retailer: EXIT.usage,
  unknown_category: EXIT.usage,
  unknown_department: EXIT.usage,
  invalid_date_range: EXIT.usage,
  invalid_cursor: EXIT.changed,
  missing_credentials: EXIT.credentials,
  invalid_credentials: EXIT.credentials,
  insufficient_scope: EXIT.credentials,
  not_found: EXIT.notFound,
  rate_limited: EXIT.unavailable,
  internal_error: EXIT.unavailable,
  service_unavailable: EXIT.unavailable,
  upstream_timeout: EXIT.unavailable,
} satisfies Record<ProblemCode, number>;

/** A code this version does not know, or a body without one, is judged by its HTTP status. */
function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403 || status === 407) {
    return EXIT.credentials;
  }
  if (status === 404) {
    return EXIT.notFound;
  }
  if (status === 408 || status === 429 || status >= 500) {
    return EXIT.unavailable;
  }
  // Headers that are too long are no flag's fault.
  return status >= 400 && status !== 431 ? EXIT.usage : EXIT.failure;
}

/** The one place where a failure becomes an exit code; anything unforeseen is 1. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ApiError) {
    const code = EXIT_CODES[error.problem.code ?? ""];
    return (
      code ?? (error.status === 431 && error.keyFlaw !== undefined ? EXIT.credentials : exitCodeOfStatus(error.status))
    );
  }
  if (error instanceof InterruptedError && error.signal === "SIGTERM") {
    return EXIT.terminated;
  }
  return localProblemOf(error).exitCode;
}
