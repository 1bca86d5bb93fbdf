/**
 * A header beyond the contract, which other services ignore and other clients may ignore. A response names the version of
 * its data. A request without cursor that names one is answered in it, as long as its rows are kept: so the parts of a set
 * that are walked one by one are of one version.
 */
export const VERSION_HEADER = "data-version";

export function isVersion(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
