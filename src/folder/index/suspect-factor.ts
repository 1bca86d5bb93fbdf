/** A price this many times higher or lower than the usual one is suspect. Digits, as `--suspect-factor` takes them. */
export const SUSPECT_FACTOR = "10";
