import { isProblemCode, PROBLEMS } from "../../../contract/problems.ts";
import { errorEntryOf, HTTP_ERROR } from "../../../error-table.ts";
import { ApiError, ContractError, UsageError } from "../../../errors.ts";

/**
 * Any error in the shape of a problem document, contract section 2.7. Errors that do not come from the service have codes
 * that the service does not use, and lack the members that only a response has.
 */
export interface ProblemDocument {
  /** `about:blank` if no error catalogue describes it (RFC 9457 section 4.2.1). */
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
  /** What looks wrong with the key that was sent, as the end of a sentence. */
  key_flaw?: string;
}

export function problemDocumentOf(error: unknown): ProblemDocument {
  if (error instanceof ApiError) {
    return documentOfResponse(error);
  }
  const { code, title, retryable, recovery } = errorEntryOf(error);
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

/** The problem document of the service; missing members are filled in from the error catalogue. */
function documentOfResponse({ status, problem, message, keyFlaw }: ApiError): ProblemDocument {
  const { code = HTTP_ERROR.code } = problem;
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
