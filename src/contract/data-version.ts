/**
 * An optional header beyond the contract. Responses name the version of the data. A request for a first page may name a
 * version and is answered from it as long as its rows are kept, so that all slices of a pull come from one version.
 */
export const VERSION_HEADER = "data-version";

export function isVersion(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
