const ZERO = 48;

/**
 * Whether two JSON numbers (RFC 8259 section 6) have exactly the same value; doubles would hide a difference in the 17th
 * digit. Other texts are compared as texts.
 */
export function sameNumber(a: string, b: string): boolean {
  return a === b || canonicalNumber(a) === canonicalNumber(b);
}

/** A JSON number as significant digits and an exponent, so that equal numbers have equal texts. */
function canonicalNumber(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  if (match === null) {
    return text;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  let first = 0;
  while (digits.charCodeAt(first) === ZERO) {
    first += 1;
  }
  let end = digits.length;
  while (end > first && digits.charCodeAt(end - 1) === ZERO) {
    end -= 1;
  }
  const place = BigInt(exponent.replace("+", "")) + BigInt(whole.length - first);
  return first === end ? "0" : `${sign}${digits.slice(first, end)}e${place}`;
}

/** Every decimal number of up to this many digits survives the conversion to a double and back (DBL_DIG of C). */
const SAFE_DIGITS = 15;

/** Whether a JSON number survives the conversion to a double and back. */
export function isExactDouble(text: string): boolean {
  return (text.length <= SAFE_DIGITS && !/e/i.test(text)) || sameNumber(text, String(Number(text)));
}
