/** A cell that can be clicked: its name, as in `C2`, and the address that it opens. */
export type SheetLink = readonly [cell: string, target: string];

/** Most links of a sheet that Excel opens. */
const LINKS_OF_SHEET = 65_530;

/** Most characters of the address of a link. */
const LONGEST_TARGET = 2_079;

/** The links of a sheet, as many as Excel allows. They follow the rows in the file, so until then they are in memory. */
export class SheetLinks {
  readonly all: SheetLink[];
  private onPlain: (() => void) | undefined;

  /** @param onPlain called once when addresses have to stay text */
  constructor(all: readonly SheetLink[], onPlain: (() => void) | undefined) {
    this.all = [...all];
    this.onPlain = onPlain;
  }

  /** Whether an address that comes now has to stay text. */
  isFull(): boolean {
    if (this.all.length < LINKS_OF_SHEET) {
      return false;
    }
    this.onPlain?.();
    this.onPlain = undefined;
    return true;
  }

  /** Makes a cell a link; false if it stays text. */
  add(cell: string, address: string): boolean {
    const target = linkTarget(address);
    if (target === undefined || this.isFull()) {
      return false;
    }
    this.all.push([cell, target]);
    return true;
  }
}

/**
 * The address as a link holds it. Excel repairs a workbook whose links hold characters that RFC 3986 does not allow, so
 * these are escaped.
 */
function linkTarget(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    return undefined;
  }
  const { href } = new URL(address);
  const [, origin = "", rest = ""] = /^([^/]*\/\/[^/?#]*)(.*)$/.exec(href) ?? [];
  const target = origin + rest.replace(/["<>[\\\]^`{|}]|%(?![\da-f]{2})/gi, encodeURIComponent);
  return target.length > LONGEST_TARGET ? undefined : target;
}
