// Draws docs/*.svg: terminals with what the built tool prints for the demo's rows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const TERMINAL = pathToFileURL(join(ROOT, "test/helpers/reader-terminal.mjs")).href;
const COLUMNS = 100;

const PICTURES = {
  "docs/terminal.svg": ["coverage rows --group-by retailer", "movers rows --only drop -n 5"],
  "docs/report.svg": ["report rows --text -n 3"],
};

/** Sizes in pixels. */
const CHARACTER = 8.4;
const LINE = 19;
const MARGIN = 18;

const COLOURS = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#56d4dd",
  90: "#8b949e",
};

const folder = mkdtempSync(join(tmpdir(), "catalog-pictures-"));
try {
  run("sync rows --demo --quiet");
  for (const [path, commands] of Object.entries(PICTURES)) {
    const lines = commands.flatMap((command) => [
      `\x1b[1m$ catalog ${command}\x1b[22m`,
      ...run(command).split("\n"),
      "",
    ]);
    writeFileSync(join(ROOT, path), draw(commands, lines.slice(0, -1)));
    console.log(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What a command prints to a terminal, with its escape sequences. */
function run(command) {
  const output = join(folder, "output.txt");
  const file = openSync(output, "w");
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=${TERMINAL}`,
    TERM: "xterm-256color",
    PAGER: "cat",
    LANG: "C.UTF-8",
  };
  delete env.NO_COLOR;
  const args = [join(ROOT, "dist/catalog.js"), ...command.split(" ")];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, env, stdio: ["ignore", file, file] });
  const text = readFileSync(output, "utf8").trimEnd();
  if (status !== 0) {
    throw new Error(`catalog ${command} ended with exit code ${status}: ${text}`);
  }
  return text;
}

function draw(commands, lines) {
  const [width, height] = [COLUMNS * CHARACTER + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const texts = lines.map((line, index) => {
    const y = MARGIN + (index + 0.75) * LINE;
    return spans(line).map(({ text, column, style }) => {
      const x = (MARGIN + column * CHARACTER).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${(text.length * CHARACTER).toFixed(1)}"${style}>${escaped(text)}</text>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
<title>${commands.map((command) => `catalog ${escaped(command)}`).join("; ")}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${texts.flat().join("\n")}
</svg>
`;
}

/** The parts of a line that look alike, without its escape sequences; links lose their address. */
function spans(line) {
  const found = [];
  const style = { bold: false, dim: false, colour: undefined };
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences of a terminal.
  const parts = line.replace(/\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)/g, "").split(/\x1b\[([\d;]*)m/);
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      for (const code of part.split(";").map(Number)) {
        apply(style, code);
      }
    } else if (part.trim() !== "") {
      found.push({ text: part, column, style: attributes(style) });
      column += [...part].length;
    } else {
      column += part.length;
    }
  }
  return found;
}

/** Changes a style by a code of SGR (ECMA-48). */
function apply(style, code) {
  if (code === 0) {
    Object.assign(style, { bold: false, dim: false, colour: undefined });
  } else if (code === 1) {
    style.bold = true;
  } else if (code === 2) {
    style.dim = true;
  } else if (code === 22) {
    Object.assign(style, { bold: false, dim: false });
  } else if (code === 39) {
    style.colour = undefined;
  } else if (code in COLOURS) {
    style.colour = COLOURS[code];
  }
}

function attributes({ bold, dim, colour }) {
  return `${bold ? ' font-weight="bold"' : ""}${dim ? ' opacity="0.6"' : ""}${colour === undefined ? "" : ` fill="${colour}"`}`;
}

function escaped(text) {
  // Several spaces in a row would be drawn as one.
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
}
