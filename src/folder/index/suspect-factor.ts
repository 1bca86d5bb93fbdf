/** How many times the usual price a price must be, or how small a part of it, to be suspect. Digits, as of `--suspect-factor`. */
export const SUSPECT_FACTOR = "10";
