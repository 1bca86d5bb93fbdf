/**
 * A decimal as an integer, in units of 10^-scale, because a sum of doubles depends on their order; digits beyond are
 * rounded. Null from 10^(18 - scale) on.
 *
 * @param value an expression of a number, or of a text that is one
 */
export function scaled(value: string, scale: number): string {
  return `replace(TRY_CAST((${value})::VARCHAR AS DECIMAL(18, ${scale}))::VARCHAR, '.', '')::HUGEINT`;
}

/** An integer in units of 10^-scale as the nearest double, which shows no other digits than the decimal has. */
export function unscaled(value: string, scale: number): string {
  return `((${value})::DECIMAL(${38 - scale}, 0) * 1e-${scale}::DECIMAL(${scale}, ${scale}))::VARCHAR::DOUBLE`;
}

/** The quotient of two integers that are not negative, rounded half up to six decimals; null if the second is 0. */
export function quotient(above: string, below: string): string {
  return `((2 * 1000000 * (${above})::HUGEINT + (${below})::HUGEINT) // (2 * (${below})::HUGEINT)) / 1e6`;
}
