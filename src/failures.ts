import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from "./contract/problems.ts";
import {
  ApiError,
  ClosedPipeError,
  ConditionHoldsError,
  ContractError,
  CredentialsError,
  EmptyResultError,
  EXIT,
  FileError,
  InterruptedError,
  LockedError,
  MismatchError,
  MissingPackageError,
  NetworkError,
  NotOperationalError,
  SetChangedError,
  ShrinkError,
  UsageError,
} from "./errors.ts";

/** What is known of a failure, whoever reports it. */
export interface Failure {
  /** Stable and machine-readable; those of this tool are none of the service's. */
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
    ConditionHoldsError,
    {
      code: "condition",
      title: "The condition holds",
      exitCode: EXIT.condition,
      retryable: false,
      meaning: "A row meets the condition of --fail-if; the output is complete.",
      remedy: "Nothing failed: this is the alert that --fail-if asked for.",
    },
  ],
  [
    MissingPackageError,
    {
      code: "missing_package",
      title: "A package is not installed",
      exitCode: EXIT.failure,
      retryable: false,
      meaning: "The command needs a package that is installed on demand only.",
      remedy: "Run the npm command that the error names, then the same command again.",
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
] as const satisfies readonly (readonly [unknown, Failure])[];

/** An error status whose body is no problem document; what stands here is of a 5xx. */
export const HTTP_ERROR: Failure = {
  code: "http_error",
  title: "An error without a problem document",
  exitCode: EXIT.unavailable,
  retryable: true,
  meaning: "The answer was an error of a proxy or a gateway before the service, or of another service.",
  remedy:
    "429 and 5xx were tried again by themselves: run the command again later. At another status check the address: `catalog auth status`; the exit code is then 3 for 401, 403 and 407, 4 for 404, 1 for 431, and else 2.",
};

/** Anything unforeseen. */
const UNEXPECTED: Failure = {
  code: "unexpected",
  title: "Unexpected failure",
  exitCode: EXIT.failure,
  retryable: false,
  meaning: "Something happened that the tool does not foresee.",
  recovery: "This is a fault of catalog. Please report it, with the command line and what it prints with --verbose.",
  remedy: "Run the command again with `--verbose`, which shows where in the tool it happened.",
};

/** What to do with this tool about each code of the service's catalogue, which says the rest. */
const REMEDIES = {
  invalid_request:
    "The tool checks flags before it sends anything, so this one slipped through: the flag at fault is named in the error.",
  unknown_retailer: "List them: `catalog coverage --group-by retailer`.",
  unknown_category: "List what the retailer has: `catalog coverage --retailer SLUG --group-by category`.",
  unknown_department: "List what the retailer has: `catalog coverage --retailer SLUG --group-by department`.",
  invalid_date_range:
    "A day is YYYY-MM-DD, today, yesterday, 7d (seven days ago), latest or latest-7d, in UTC; `--date DAY` sets both ends at once.",
  invalid_cursor:
    "`catalog export` walks the slice again from its first page by itself. It gives up where rows that cannot be taken back were written: export to a file with --output instead of a pipe.",
  missing_credentials: "Store a key with `catalog auth login`, or set CATALOG_API_KEY or CATALOG_API_KEY_FILE.",
  invalid_credentials:
    "See which key is used and where it comes from: `catalog auth status`. Replace it: `catalog auth login`. Do not try again with the same key: failed attempts are throttled.",
  insufficient_scope:
    "See what the key may do: `catalog auth status`. `catalog sample` needs catalog:sample, the rest catalog:read.",
  not_found:
    "Check the address: `catalog auth status` shows it. A service behind a path prefix needs it in --base-url, such as https://api.example.com/api; the tool adds /v1 itself.",
  rate_limited:
    "The tool paces itself and waits by itself. Others use up the same limit: leave them room with `catalog export --max-rate N`, or wait longer with --retries N.",
  internal_error:
    "The tool tried again by itself. Ask `catalog status` for an incident; report the request id where there is none.",
  service_unavailable:
    "The tool tried again by itself. Ask `catalog status` for an incident, and run the command again later.",
  upstream_timeout:
    "The tool tried again by itself. Narrow the filters (a retailer, fewer days), or ask for less at once: `catalog export --page-size 100 --concurrency 2`.",
} as const satisfies Record<ProblemCode, string>;

/** Failures that the service reports, in the order of its catalogue. */
export const SERVICE_FAILURES: readonly Failure[] = PROBLEM_CODES.map((code) => {
  // A cursor that no longer counts is no fault of the command line: the set changed.
  const exitCode = code === "invalid_cursor" ? EXIT.changed : exitCodeOf(PROBLEMS[code]);
  return { code, ...PROBLEMS[code], exitCode, remedy: REMEDIES[code] };
});

/** Failures of this tool, and of what stands before the service. */
export const LOCAL_FAILURES: readonly Failure[] = [...KINDS.map(([, failure]) => failure), HTTP_ERROR, UNEXPECTED];

/** What is known of an error: by its code where the service told one, else by its kind. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { code } = error.problem;
    const known = SERVICE_FAILURES.find((failure) => failure.code === code);
    return known ?? { ...HTTP_ERROR, exitCode: exitCodeOf(error) };
  }
  const failure = KINDS.find(([kind]) => error instanceof kind)?.[1] ?? UNEXPECTED;
  const isTerminated = error instanceof InterruptedError && error.signal === "SIGTERM";
  return isTerminated ? { ...failure, exitCode: EXIT.terminated } : failure;
}

/** By the HTTP status; so is a code judged that this version does not know, and a body without one. */
function exitCodeOf({ status, keyFlaw }: Pick<ApiError, "status"> & Partial<ApiError>): number {
  if ([401, 403, 407].includes(status) || (status === 431 && keyFlaw !== undefined)) {
    return EXIT.credentials;
  }
  if (status === 404) {
    return EXIT.notFound;
  }
  if ([408, 429].includes(status) || status >= 500) {
    return EXIT.unavailable;
  }
  // Headers that are too long are no flag's fault.
  return status >= 400 && status !== 431 ? EXIT.usage : EXIT.failure;
}
