import stringWidth from "string-width";

/** The content of a terminal after some output, with the lines that scrolled away. */
export interface Screen {
  /** Lines without spaces at the end. A line that the terminal had to break ends in `↩` and continues in the next. */
  lines: string[];
  /** Each run of cells in one style, as in `3: bold "retailer  sku"`; lines count from 1. */
  styles: string[];
  /** Settings that would disturb the next prompt of the shell. */
  leftovers: string[];
}

interface Cell {
  text: string;
  style: string;
}

interface Row {
  cells: Cell[];
  /** Whether the terminal broke the line here, because it was too long. */
  broken: boolean;
}

/** The SGR attributes that the tool uses. A code that turns attributes off lists them. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
};
const ENDS: Readonly<Record<string, readonly string[]>> = { 22: ["bold", "dim"], 39: ["red", "green", "yellow"] };

/** The modes that the tool switches: whether each is on by default, and the problem if it is not restored. */
const MODES: Readonly<Record<string, { usual: boolean; unusual: string }>> = {
  "?25": { usual: true, unusual: "the cursor is hidden" },
  "?2026": { usual: false, unusual: "the terminal waits for the end of an update" },
};

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Shows `output` on a terminal of `columns` by `rows` cells that breaks long lines, as xterm does.
 *
 * @throws Error for an unexpected control sequence
 */
export function renderScreen(output: string, { columns, rows }: { columns: number; rows: number }): Screen {
  const screen = new Terminal(columns, rows);
  const [before = "", ...pieces] = output.split("\x1b");
  screen.print(before);
  for (const piece of pieces) {
    const [sequence, rest] = splitSequence(piece);
    screen.obey(sequence);
    screen.print(rest);
  }
  return screen.shown();
}

/** The control sequence after an escape character, and the text after it. */
function splitSequence(piece: string): [sequence: string, rest: string] {
  const [sequence = ""] = /^(?:\[[?\d;]*[A-Za-z]|\]8;;\P{Cc}*|\\)/u.exec(piece) ?? [];
  return [sequence, piece.slice(sequence.length)];
}

class Terminal {
  readonly #columns: number;
  readonly #rows: number;
  readonly #lines: Row[] = [{ cells: [], broken: false }];
  #line = 0;
  #column = 0;
  readonly #attributes = new Set<string>();
  #link = "";
  readonly #modes = new Set<string>();

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  print(text: string): void {
    for (const { segment } of graphemes.segment(text)) {
      if (segment === "\r\n" || segment === "\n") {
        this.#line += 1;
        this.#row();
      }
      if (segment === "\r\n" || segment === "\r") {
        this.#column = 0;
      } else if (segment !== "\n") {
        this.#put(segment);
      }
    }
  }

  /** @param sequence what follows the escape character */
  obey(sequence: string): void {
    const [, parameters = "", final = ""] = /^\[(.*)(.)$/.exec(sequence) ?? [];
    if (sequence.startsWith("]8;;")) {
      this.#link = sequence.slice("]8;;".length);
    } else if (final === "m") {
      for (const code of (parameters || "0").split(";")) {
        this.#style(code);
      }
    } else if (!(sequence === "\\" || this.#move(parameters, final) || this.#switch(parameters, final))) {
      throw new Error(`unknown control sequence ${JSON.stringify(`\x1b${sequence}`)}`);
    }
  }

  shown(): Screen {
    const leftovers = [
      ...(this.#column === 0 ? [] : ["the line is not ended"]),
      ...(this.#line === this.#lines.length - 1 ? [] : ["the cursor stands within the output"]),
      ...this.#modes,
      ...(this.#attributes.size === 0 ? [] : [`text stays ${[...this.#attributes].join(" ")}`]),
      ...(this.#link === "" ? [] : [`text stays linked to ${this.#link}`]),
    ];
    return {
      lines: this.#lines.map(
        ({ cells, broken }) =>
          cells
            .map(({ text }) => text)
            .join("")
            .trimEnd() + (broken ? "↩" : ""),
      ),
      styles: this.#lines.flatMap(({ cells }, index) => runsOf(cells).map((run) => `${index + 1}: ${run}`)),
      leftovers,
    };
  }

  #put(grapheme: string): void {
    if (/\p{Cc}/u.test(grapheme)) {
      throw new Error(`unknown control character ${JSON.stringify(grapheme)}`);
    }
    const width = stringWidth(grapheme);
    if (this.#column + width > this.#columns) {
      this.#row().broken = true;
      this.#line += 1;
      this.#column = 0;
    }
    const { cells } = this.#row();
    for (let column = cells.length; column < this.#column; column++) {
      cells[column] = { text: " ", style: "" };
    }
    const style = [...this.#attributes, ...(this.#link === "" ? [] : [`link to ${this.#link}`])].join(" ");
    for (let offset = 0; offset < width; offset++) {
      // The second cell of a wide character is empty.
      cells[this.#column + offset] = { text: offset === 0 ? grapheme : "", style };
    }
    this.#column += width;
  }

  #move(parameters: string, final: string): boolean {
    const count = Number(parameters || "1");
    if (final === "A") {
      this.#line = Math.max(this.#line - count, this.#lines.length - this.#rows, 0);
    } else if (final === "G") {
      this.#column = count - 1;
    } else if (final === "K") {
      this.#erase(parameters);
    } else {
      return false;
    }
    return true;
  }

  #switch(parameters: string, final: string): boolean {
    const mode = MODES[parameters];
    if (mode === undefined || !["h", "l"].includes(final)) {
      return false;
    }
    if ((final === "h") === mode.usual) {
      this.#modes.delete(mode.unusual);
    } else {
      this.#modes.add(mode.unusual);
    }
    return true;
  }

  #style(code: string): void {
    const attribute = ATTRIBUTES[code];
    const ended = code === "0" ? [...this.#attributes] : ENDS[code];
    if (attribute !== undefined) {
      this.#attributes.add(attribute);
    } else if (ended !== undefined) {
      for (const name of ended) {
        this.#attributes.delete(name);
      }
    } else {
      throw new Error(`unknown style ${code}`);
    }
  }

  #erase(part: string): void {
    const row = this.#row();
    if (part === "2") {
      row.cells = [];
      row.broken = false;
    } else if (part === "1") {
      row.cells = row.cells.map((cell, column) => (column <= this.#column ? { text: " ", style: "" } : cell));
    } else {
      row.cells.length = Math.min(row.cells.length, this.#column);
      row.broken = false;
    }
  }

  #row(): Row {
    this.#lines[this.#line] ??= { cells: [], broken: false };
    return this.#lines[this.#line] as Row;
  }
}

/** Characters of a run that identify it. */
const SHOWN_RUN = 48;

function runsOf(cells: readonly Cell[]): string[] {
  const runs: Cell[] = [];
  for (const { text, style } of cells) {
    const last = runs.at(-1);
    if (last?.style === style) {
      last.text += text;
    } else {
      runs.push({ text, style });
    }
  }
  return runs
    .filter(({ style }) => style !== "")
    .map(({ text, style }) => {
      const shown = text.length > SHOWN_RUN ? `${text.slice(0, SHOWN_RUN)}…` : text;
      return `${style} "${shown}"`;
    });
}
