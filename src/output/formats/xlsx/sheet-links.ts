/** A cell that can be clicked: its name, as in `C2`, and the address that it opens. */
export type SheetLink = readonly [cell: string, target: string];

/** Most links of a sheet that Excel opens. */
const LINKS_OF_SHEET = 65_530;

/** Most characters of the address of a link. */
const LONGEST_TARGET = 2_079;

/** The links of a sheet, as many as Excel allows. They follow the rows in the file, so until then they are in memory. */
export type SheetLinks = ReturnType<typeof sheetLinks>;

/** @param onPlain called when an address has to stay text */
export function sheetLinks(onPlain: () => void) {
  const all: SheetLink[] = [];
  return {
    all,
    /** Makes a cell a link; false if it stays text. */
    add: (cell: string, address: string): boolean => {
      if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
        return false;
      }
      if (all.length === LINKS_OF_SHEET) {
        onPlain();
        return false;
      }
      const target = linkTarget(address);
      if (target.length > LONGEST_TARGET) {
        return false;
      }
      all.push([cell, target]);
      return true;
    },
  };
}

/**
 * The address as a link holds it. Excel repairs a workbook whose links hold characters that RFC 3986 does not allow, so
 * these are escaped.
 */
function linkTarget(address: string): string {
  const { href } = new URL(address);
  const [, origin = "", rest = ""] = /^([^/]*\/\/[^/?#]*)(.*)$/.exec(href) ?? [];
  return origin + rest.replace(/["<>[\\\]^`{|}]|%(?![\da-f]{2})/gi, encodeURIComponent);
}
