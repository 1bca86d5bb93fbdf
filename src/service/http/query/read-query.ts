import { quote, ServiceProblem } from "../service-problem.ts";
import { validOptions } from "./valid-options.ts";

/**
 * Reads the query of a request target. Invalid parts are refused, never ignored: without a filter, the response would
 * contain rows that were not requested.
 */
export function readQuery(target: string, allowed: readonly string[]): Map<string, string> {
  if (target.includes("#")) {
    throw new ServiceProblem("invalid_request", 'A request target has no fragment. Write "#" in a value as %23.');
  }
  const query = target.replace(/^[^?]*\??/, "");
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [, rawName = "", rawValue = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const name = decodeFormText(rawName, rawName);
    const value = decodeFormText(rawValue, name);
    if (!allowed.includes(name)) {
      throw new ServiceProblem("invalid_request", `There is no parameter ${quote(name)} here.`, {
        field: name,
        validOptions: validOptions(name, allowed),
      });
    }
    if (parameters.has(name)) {
      throw new ServiceProblem("invalid_request", `The parameter ${name} was sent more than once.`, { field: name });
    }
    parameters.set(name, value);
  }
  return parameters;
}

/** Decodes `application/x-www-form-urlencoded`. @param field for the error */
function decodeFormText(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ServiceProblem("invalid_request", "The parameter is not valid percent-encoded UTF-8.", { field });
  }
}
