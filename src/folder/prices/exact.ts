/**
 * A number as an integer in units of 10^-scale, by the digits that it shows: a sum of doubles would depend on their order.
 * Digits beyond are rounded, halves away from zero.
 *
 * @throws RangeError if it is not finite
 */
export function scaled(number: number | string, scale: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number));
  if (match === null) {
    throw new RangeError(`${number} has no digits`);
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = scale + Number(exponent) - fraction.length;
  const unit = 10n ** BigInt(Math.abs(shift));
  const size = shift >= 0 ? digits * unit : (digits + unit / 2n) / unit;
  return sign === "" ? size : -size;
}

/** An integer in units of 10^-scale as the nearest double, which shows no other digits than the decimal has. */
export function unscaled(integer: bigint, scale: number): number {
  return Number(`${integer}e-${scale}`);
}

/** The quotient of two integers that are not negative, rounded half up to six decimals; undefined if the second is 0. */
export function quotient(above: bigint, below: bigint): number | undefined {
  return below === 0n ? undefined : unscaled((2_000_000n * above + below) / (2n * below), 6);
}

/** A number that is not negative with one decimal or more, rounded half up by its digits: `toFixed` rounds its binary value. */
export function withDecimals(number: number, decimals: number): string {
  const digits = String(scaled(number, decimals)).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
