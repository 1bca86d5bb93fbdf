import { isProblemCode, PROBLEMS } from "../contract/problems.ts";
import {
  ApiError,
  ClosedPipeError,
  ContractError,
  CredentialsError,
  EmptyResultError,
  FileError,
  InterruptedError,
  MismatchError,
  NetworkError,
  NotOperationalError,
  SetChangedError,
  UsageError,
} from "../errors.ts";

/**
 * Any failure in the shape of a problem document, contract section 2.7. Failures that the service had no part in have
 * codes of their own, which are none of the service's, and lack what only an answer has.
 */
export interface ProblemDocument {
  /** `about:blank` where no catalogue of errors describes it (RFC 9457 section 4.2.1). */
  type: string;
  title: string;
  status?: number;
  detail: string;
  code: string;
  retryable: boolean;
  recovery?: string;
  request_id?: string;
  field?: string;
  valid_options?: readonly string[];
  /** What is visibly wrong with the key that was sent, as the end of a sentence. */
  key_flaw?: string;
}

type LocalProblem = Pick<ProblemDocument, "code" | "title" | "retryable" | "recovery">;

const UNEXPECTED: LocalProblem = {
  code: "unexpected",
  title: "Unexpected failure",
  retryable: false,
  recovery: "This is a fault of catalog. Please report it, with the command line and what it prints with --verbose.",
};

const LOCAL_PROBLEMS = [
  [UsageError, { code: "usage", title: "Wrong usage", retryable: false }],
  [CredentialsError, { code: "credentials", title: "No usable API key", retryable: false }],
  [
    NetworkError,
    {
      code: "network",
      title: "No complete answer from the service",
      retryable: true,
      recovery: "Check the address and the network, or run the command again later.",
    },
  ],
  [
    ContractError,
    {
      code: "contract",
      title: "The service broke its contract",
      retryable: false,
      recovery: "Do not use the output; report this to the operator of the service.",
    },
  ],
  [
    SetChangedError,
    {
      code: "set_changed",
      title: "The set changed while it was read",
      retryable: true,
      recovery: "Do not use the output; run the command again.",
    },
  ],
  [
    MismatchError,
    {
      code: "mismatch",
      title: "The file is not what its manifest says",
      retryable: false,
      recovery: "Do not use the file; export it again.",
    },
  ],
  [EmptyResultError, { code: "empty", title: "Nothing matched", retryable: false }],
  [NotOperationalError, { code: "not_operational", title: "The service does not fully work", retryable: true }],
  [FileError, { code: "file", title: "A local file could not be read or written", retryable: false }],
  [InterruptedError, { code: "interrupted", title: "Interrupted", retryable: true }],
  [ClosedPipeError, { code: "closed_pipe", title: "The reader went away", retryable: false }],
] as const satisfies readonly (readonly [unknown, LocalProblem])[];

export function problemDocumentOf(error: unknown): ProblemDocument {
  if (error instanceof ApiError) {
    return documentOfAnswer(error);
  }
  const local: LocalProblem = LOCAL_PROBLEMS.find(([kind]) => error instanceof kind)?.[1] ?? UNEXPECTED;
  const { code, title, retryable, recovery } = local;
  const detail = error instanceof Error ? error.message : String(error);
  return {
    type: "about:blank",
    title,
    detail,
    code,
    retryable,
    ...(recovery !== undefined && { recovery }),
    ...(error instanceof ContractError && error.requestId !== undefined && { request_id: error.requestId }),
    ...(error instanceof UsageError && error.flag !== undefined && { field: error.flag }),
    ...(error instanceof UsageError && error.suggestions.length > 0 && { valid_options: error.suggestions }),
  };
}

/** The problem that the service sent, what its body lacked filled in from the error catalogue. */
function documentOfAnswer({ status, problem, message, keyFlaw }: ApiError): ProblemDocument {
  const { code = "http_error" } = problem;
  const known = isProblemCode(code) ? PROBLEMS[code] : undefined;
  return {
    type: "about:blank",
    title: known?.title ?? `HTTP ${status}`,
    detail: message,
    code,
    retryable: known?.retryable ?? (status === 429 || status >= 500),
    ...(known !== undefined && { recovery: known.recovery }),
    ...problem,
    status,
    ...(keyFlaw !== undefined && { key_flaw: keyFlaw }),
  };
}
