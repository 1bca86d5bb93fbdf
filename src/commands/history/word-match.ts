type WordTest = (text: string, sku: string) => boolean;

/** Units that shops write without a space after a number. Not letters that also name a variant: `16e`, `13c`, `5g`. */
const UNITS =
  "(?:[kmgt]b|[km]?wh?|m?ah|[mck]?m|[mc]?l|k?g(?<!(?<![.,])\\b\\dg)|mg|[mgk]?hz|v|inch(?:es)?|in|oz|lbs?|ft|pcs?)";

/**
 * Whether a word is in a text, which holds title, brand and model number, or is a sku or the beginning of one.
 *
 * - A number matches a whole word, with or without a unit: `256` is in `256 GB` and `256gb`, not in `1256` or `B256`. Among
 *   other words it is not the beginning of a sku: `nike 97` does not mean all skus of a shop that begin with 97.
 * - A word with a digit, such as a model number, matches from the beginning of a word, and not in the middle of a number:
 *   `ps5` is not in `caps5` or `ps50`.
 * - A word of letters matches anywhere, because many languages join words.
 *
 * Word, text and sku must have gone through `fold`.
 */
export function wordTest(word: string, isAlone: boolean): WordTest {
  const isNumber = /^\p{Nd}+(?:[.,]\p{Nd}+)*$/u.test(word);
  const isOfSku = (sku: string) => sku === word || (sku.startsWith(word) && (isAlone || !isNumber));
  if (!/\p{Nd}/u.test(word)) {
    return (text, sku) => text.includes(word) || isOfSku(sku);
  }
  const literal = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const begin = /^[\p{L}\p{N}]/u.test(word) ? "(?<![\\p{L}\\p{N}])(?<!\\p{Nd}[.,])" : "";
  const end = isNumber ? `${UNITS}?(?![\\p{L}\\p{N}])(?![.,]\\p{Nd})` : /\p{Nd}$/u.test(word) ? "(?!\\p{Nd})" : "";
  const pattern = new RegExp(`${begin}${literal}${end}`, "u");
  // The plain search is faster, and few texts pass it.
  return (text, sku) => (text.includes(word) && pattern.test(text)) || isOfSku(sku);
}

export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
