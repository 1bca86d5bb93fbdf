/** Whether an `Accept` header (RFC 9110 section 12.5.1) prefers a media type to each of the others. */
export function prefers(accept: string, wanted: string, ...others: string[]): boolean {
  return others.every((other) => quality(accept, wanted) > quality(accept, other));
}

/**
 * The weight of a value in an `Accept` or `Accept-Encoding` header (RFC 9110 section 12.4.2): 1 without a weight, 0 if the
 * value is not named or its weight is invalid. Wildcards are ignored.
 */
export function quality(header: string, wanted: string): number {
  for (const item of header.toLowerCase().split(",")) {
    const [name, ...parameters] = item.split(";").map((part) => part.trim());
    if (name === wanted) {
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
    }
  }
  return 0;
}
