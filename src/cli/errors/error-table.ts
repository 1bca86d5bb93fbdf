import {
  AlteredFolderError,
  ApiError,
  ClosedPipeError,
  ConditionHoldsError,
  ContractError,
  CredentialsError,
  EmptyResultError,
  EXIT,
  exitCodeOfStatus,
  FileError,
  InterruptedError,
  LockedError,
  MismatchError,
  MissingPackageError,
  NetworkError,
  NotFoundError,
  NotOperationalError,
  SetChangedError,
  ShrinkError,
  TimeLimitError,
  UntrustedError,
  UsageError,
} from "../../contract/errors.ts";
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from "../../contract/problems.ts";

/** An entry of `catalog explain`, for an error of the tool or of the service. */
export interface ErrorEntry {
  /** Stable. The tool and the service use different codes. */
  code: string;
  title: string;
  exitCode: number;
  /** Whether the same command may succeed later. */
  retryable: boolean;
  meaning: string;
  /** Last sentence of the report of such an error; absent if the messages themselves say what to do. */
  recovery?: string;
  /** What to do, in terms of this tool. */
  remedy: string;
}

/** The errors of this tool by code, with their classes. The first class that matches an error counts. */
const KINDS = {
  nothing_found: {
    kind: NotFoundError,
    title: "Nothing with that name",
    exitCode: EXIT.notFound,
    meaning:
      "The command line is valid, but there is nothing with the given name: a sku, a brand or the file of a question.",
    remedy: "The error suggests existing names. `catalog history --search WORDS` finds products by title.",
  },
  usage: {
    kind: UsageError,
    title: "Wrong usage",
    exitCode: EXIT.usage,
    meaning: "A flag, an argument or a configured value is wrong. No request was sent.",
    remedy:
      "The error names the flag and suggests values. `catalog help COMMAND` lists the flags, `catalog help environment` the variables.",
  },
  credentials: {
    kind: CredentialsError,
    title: "No usable API key or proxy password",
    exitCode: EXIT.credentials,
    meaning:
      "There is no API key, or it cannot be valid, so nothing was sent. Or a proxy requires a user name and a password.",
    remedy:
      "Store a key with `catalog auth login`, or set CATALOG_API_KEY or CATALOG_API_KEY_FILE. `catalog auth status` shows which key is used. A proxy gets its user and password from HTTPS_PROXY or HTTP_PROXY.",
  },
  untrusted: {
    kind: UntrustedError,
    title: "A certificate is not trusted",
    exitCode: EXIT.failure,
    meaning:
      "The certificate of the service or of the proxy has expired, is for another host, or has an unknown issuer.",
    remedy:
      "For a private certificate authority, set NODE_EXTRA_CA_CERTS to the file of its certificate. Otherwise, report it to the operator of the service.",
  },
  network: {
    kind: NetworkError,
    title: "No complete response from the service",
    exitCode: EXIT.unavailable,
    retryable: true,
    meaning:
      "In every attempt, the connection failed or was cut, the host name was not found, or the request timed out.",
    recovery: "Check the address and the network, or run the command again later.",
    remedy:
      "`--verbose` shows each attempt. For a slow service, raise --timeout and --retries. For a proxy, set HTTPS_PROXY. `catalog export -o FILE --resume` continues an interrupted export.",
  },
  time_limit: {
    kind: TimeLimitError,
    title: "The time limit was exceeded",
    exitCode: EXIT.unavailable,
    retryable: true,
    meaning: "The command took longer than --max-time.",
    remedy: "Raise --max-time, or ask for less. `catalog export -o FILE --resume` continues an interrupted export.",
  },
  contract: {
    kind: ContractError,
    title: "The service broke its contract",
    exitCode: EXIT.failure,
    meaning:
      "A successful response is not what the API promises: it is a web page, for example, or its counts contradict each other.",
    recovery: "Do not use the output. Report this to the operator of the service.",
    remedy:
      "Check with `catalog auth status` that the address is that of the API, not of a web page or a proxy. `--verbose` shows request ids. `--max-body` allows larger responses.",
  },
  set_changed: {
    kind: SetChangedError,
    title: "The set changed while it was read",
    exitCode: EXIT.changed,
    retryable: true,
    meaning:
      "Rows were added, removed or changed while they were read, or their number differs from the count of the service.",
    recovery: "Do not use the output. Run the command again.",
    remedy:
      "Export to a file with --output: changed parts are read again automatically, whereas rows written to a pipe cannot be taken back.",
  },
  shrunk: {
    kind: ShrinkError,
    title: "Too much of the copy would be removed",
    exitCode: EXIT.changed,
    retryable: true,
    meaning:
      "The service lacks more than half of the rows of the synced folder, or a whole retailer. The folder keeps them, because the response may be wrong, or the key may not see them.",
    recovery: "Run the command again later. If the rows were really removed, add the flag that the message names.",
    remedy: "Look at the rows of the service: `catalog coverage` with the filters of the folder.",
  },
  mismatch: {
    kind: MismatchError,
    title: "A file is not what was written",
    exitCode: EXIT.changed,
    meaning: "The file, its manifest or a file of the folder was changed or damaged after it was written.",
    recovery: "Do not use what is damaged. Export or sync it again.",
    remedy:
      "Export it again with `catalog export -o FILE --manifest`. `catalog sync DIR --verify` reads damaged days of a synced folder again.",
  },
  altered_folder: {
    kind: AlteredFolderError,
    title: "The state of a synced folder was altered",
    exitCode: EXIT.changed,
    meaning:
      "`.catalog/state.json` in the folder is not what `catalog sync` wrote: it was edited, badly copied, or damaged on disk.",
    remedy: "Delete the state and run `catalog sync DIR --adopt`, which pulls every day again.",
  },
  condition: {
    kind: ConditionHoldsError,
    title: "The condition is met",
    exitCode: EXIT.condition,
    meaning: "The answer meets the condition of --fail-if. The output is complete.",
    remedy: "Nothing failed: this is the alert that --fail-if asks for.",
  },
  missing_package: {
    kind: MissingPackageError,
    title: "A package is not installed",
    exitCode: EXIT.failure,
    meaning: "npm left out a package that the command needs: DuckDB or libsql.",
    remedy: "Run the npm command in the error message, then run the command again.",
  },
  empty: {
    kind: EmptyResultError,
    title: "Nothing matched",
    exitCode: EXIT.empty,
    meaning: "Nothing matches the filters, and --fail-on-empty makes this an error.",
    remedy:
      "See which days have rows: `catalog coverage` with the same filters but no dates. Without --fail-on-empty, an empty result is not an error.",
  },
  not_operational: {
    kind: NotOperationalError,
    title: "The service is not fully operational",
    exitCode: EXIT.unavailable,
    retryable: true,
    meaning: "The status feed reports a degraded or failed suite, or an open incident.",
    remedy: "Run `catalog status` again later. Requests may work nevertheless.",
  },
  file: {
    kind: FileError,
    title: "A local file could not be read or written",
    exitCode: EXIT.failure,
    meaning: "A file or folder is missing, in use or inaccessible, or the disk is full.",
    remedy:
      "The error names the path. Existing output files were not changed. `catalog export -o FILE --resume` continues an interrupted export.",
  },
  locked: {
    kind: LockedError,
    title: "Another run is writing there",
    exitCode: EXIT.unavailable,
    retryable: true,
    meaning: "Another process is writing the same output file or folder.",
    recovery: "Run the command again when the other one has ended.",
    remedy:
      "Run it again later. The lock of a killed process expires at once on the same machine, and after a minute on other machines and in other containers.",
  },
  interrupted: {
    kind: InterruptedError,
    title: "Interrupted",
    exitCode: EXIT.interrupted,
    retryable: true,
    meaning: `The command was stopped with Ctrl-C, or with SIGTERM (exit code ${EXIT.terminated}).`,
    remedy: "`catalog export -o FILE --resume` continues an export; `catalog sync` always continues.",
  },
  closed_pipe: {
    kind: ClosedPipeError,
    title: "The reader closed the pipe",
    exitCode: EXIT.ok,
    meaning: "The reader of stdout, such as `head`, has enough rows. This is not reported as an error.",
    remedy: "Nothing to do. `--max-rows` also ends an export early.",
  },
} as const satisfies Record<string, Omit<ErrorEntry, "code" | "retryable"> & { kind: unknown; retryable?: true }>;

const ENTRIES = Object.entries(KINDS).map(([code, { kind, ...facts }]) => ({
  kind,
  entry: { code, retryable: false, ...facts },
}));

/** An error response without a problem document. The exit code is that of a 5xx; `errorEntryOf` replaces it for others. */
export const HTTP_ERROR: ErrorEntry = {
  code: "http_error",
  title: "An error without a problem document",
  exitCode: EXIT.unavailable,
  retryable: true,
  meaning: "The response comes from a proxy or gateway in front of the service, or from another service.",
  remedy:
    "The tool retried 408, 429 and 5xx. Run the command again later. For another status, check the address with `catalog auth status`. The exit code is then 3 for 401, 403 and 407, 4 for 404, 1 for redirects and for 431 (3 if the key looks wrong), and 2 for the rest.",
};

const UNEXPECTED: ErrorEntry = {
  code: "unexpected",
  title: "Unexpected error",
  exitCode: EXIT.failure,
  retryable: false,
  meaning: "The tool has a bug.",
  recovery: "This is a bug in catalog. Please report it with the command line and its output with --verbose.",
  remedy: "Run the command again with `--verbose`, which shows where the error happened.",
};

/** What to do about each problem of the service, in terms of this tool. Its catalogue has the other members. */
const REMEDIES = {
  invalid_request:
    "The message names the flag. The tool checks flags before it sends requests, but did not notice this error.",
  unknown_retailer: "List them: `catalog coverage --group-by retailer`.",
  unknown_category: "List the categories of the retailer: `catalog coverage --retailer SLUG --group-by category`.",
  unknown_department: "List the departments of the retailer: `catalog coverage --retailer SLUG --group-by department`.",
  invalid_date_range:
    "A day is YYYY-MM-DD, today, yesterday, 7d (seven days ago), latest or latest-7d, in UTC; `--date DAY` sets both ends at once.",
  invalid_cursor:
    "`catalog export` reads the slice again from its first page, unless its rows are already in a pipe: export to a file with --output.",
  missing_credentials: "Store a key with `catalog auth login`, or set CATALOG_API_KEY or CATALOG_API_KEY_FILE.",
  invalid_credentials:
    "`catalog auth status` shows which key is used and where it comes from. Replace it with `catalog auth login`. Do not retry with the same key: the service limits failed attempts.",
  insufficient_scope:
    "`catalog auth status` shows the scopes of the key. `catalog sample` needs catalog:sample, the other commands need catalog:read.",
  not_found:
    "Check the address, which `catalog auth status` shows. If the service has a path prefix, --base-url must include it, such as https://api.example.com/api. The tool adds /v1.",
  rate_limited:
    "The tool waits automatically. All clients of the team share one limit: leave some requests to them with `catalog export --max-rate N`, or retry more often with --retries N.",
  internal_error:
    "The tool retried the request. See whether `catalog status` shows an incident. If not, report the request id.",
  service_unavailable:
    "The tool retried the request. See whether `catalog status` shows an incident, and run the command again later.",
  upstream_timeout:
    "The tool retried the request. Narrow the filters (one retailer, fewer days), or request less at a time: `catalog export --page-size 100 --concurrency 2`.",
} as const satisfies Record<ProblemCode, string>;

/** The problems of the service, in the order of its catalogue. */
export const SERVICE_ERRORS: readonly ErrorEntry[] = PROBLEM_CODES.map((code) => {
  // An invalid cursor is not the user's mistake: the set changed.
  const exitCode = code === "invalid_cursor" ? EXIT.changed : exitCodeOfStatus(PROBLEMS[code]);
  return { code, ...PROBLEMS[code], exitCode, remedy: REMEDIES[code] };
});

export const TOOL_ERRORS: readonly ErrorEntry[] = [...ENTRIES.map(({ entry }) => entry), HTTP_ERROR, UNEXPECTED];

/** The entry for an error, by the code of its problem document or by its class. */
export function errorEntryOf(error: unknown): ErrorEntry {
  if (error instanceof ApiError) {
    const { code } = error.problem;
    const known = SERVICE_ERRORS.find((entry) => entry.code === code);
    const exitCode = error.problem.retryable === true ? EXIT.unavailable : exitCodeOfStatus(error);
    return known ?? { ...HTTP_ERROR, exitCode };
  }
  const entry = ENTRIES.find(({ kind }) => error instanceof kind)?.entry ?? UNEXPECTED;
  const isTerminated = error instanceof InterruptedError && error.signal === "SIGTERM";
  return isTerminated ? { ...entry, exitCode: EXIT.terminated } : entry;
}
