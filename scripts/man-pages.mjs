// Writes the manual pages into dist/man from the same declarations that --help shows.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { TEXT_LOADERS } from "./text-files.mjs";

/** One page for the tool and one for each of its commands. */
export async function writeManPages(root, outdir) {
  const folder = join(outdir, "man");
  await mkdir(folder, { recursive: true });
  const { createProgram, TOPICS, VERSION } = await declarations(root, folder);
  // The pages must not name folders of the person who builds them.
  const folders = { config: "~/.config/catalog", data: "~/.local/share/catalog", cache: "~/.cache/catalog" };
  const context = { stdout: { columns: 80 }, env: {}, folders };
  const program = await createProgram(
    context,
    () => true,
    () => undefined,
  );
  const commands = program.createHelp().visibleCommands(program);
  const pages = [program, ...commands].map((command) => [nameOf(command), pageOf(command, { TOPICS, VERSION })]);
  await Promise.all(pages.map(([name, page]) => writeFile(join(folder, `${name}.1`), page)));
  await listInManifest(
    root,
    pages.map(([name]) => `dist/man/${name}.1`),
  );
}

/** npm links the pages that the manifest lists; it does so for no folder of them. */
async function listInManifest(root, pages) {
  const path = join(root, "package.json");
  const text = await readFile(path, "utf8");
  const list = [...pages].sort().map((page) => `    ${JSON.stringify(page)}`);
  const next = text.replace(/"man": \[[^\]]*\]/, `"man": [\n${list.join(",\n")}\n  ]`);
  if (next !== text) {
    await writeFile(path, next);
  }
}

/** Bundles the declarations and loads them, because Node.js 20 cannot load TypeScript. */
async function declarations(root, folder) {
  const exports = [
    'export { createProgram } from "./src/commands/program.ts";',
    'export { TOPICS } from "./src/commands/help/topics.ts";',
    'export { VERSION } from "./src/cli/version.ts";',
  ];
  const file = join(folder, `.declarations-${process.pid}.mjs`);
  try {
    await build({
      stdin: { contents: exports.join("\n"), resolveDir: root },
      outfile: file,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.18",
      packages: "external",
      loader: TEXT_LOADERS,
    });
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(file, { force: true });
  }
}

function nameOf(command) {
  return command.parent === null ? command.name() : `${nameOf(command.parent)}-${command.name()}`;
}

function pageOf(command, { TOPICS, VERSION }) {
  const name = nameOf(command);
  const help = command.createHelp();
  const isProgram = command.parent === null;
  const seeAlso = isProgram
    ? help.visibleCommands(command).map((sub) => `.BR ${escaped(nameOf(sub))} (1)`)
    : [".BR catalog (1)"];
  const sections = [
    `.TH ${name.toUpperCase()} 1 "" "catalog ${VERSION}" "Retail Catalog"`,
    `.SH NAME\n${escaped(name)} \\- ${escaped((command.summary() || command.description()).replace(/\.$/, ""))}`,
    `.SH SYNOPSIS\n${escaped(help.commandUsage(command))}`,
    `.SH DESCRIPTION\n${escaped(command.description())}`,
    ...body(command, "SH"),
    ...(isProgram ? Object.values(TOPICS).map(topic) : []),
    `.SH SEE ALSO\n${seeAlso.join(" ,\n")}`,
  ];
  return `${sections.join("\n")}\n`;
}

/** Operands, options by group, notes and examples, then the same of each subcommand. */
function body(command, level) {
  const help = command.createHelp();
  const operands = help
    .visibleArguments(command)
    .map((argument) => item(argument.name(), help.argumentDescription(argument)));
  const groups = grouped(help.visibleOptions(command), groupOf);
  const options = [...groups].map(
    ([group, members]) =>
      `.${level} ${heading(group)}\n${members.map((option) => item(help.optionTerm(option), help.optionDescription(option))).join("\n")}`,
  );
  const below = help.visibleCommands(command);
  const inOwnPages = command.parent === null;
  return [
    ...(operands.length === 0 ? [] : [`.${level} OPERANDS\n${operands.join("\n")}`]),
    ...(inOwnPages ? [`.${level} COMMANDS\n${below.map((sub) => item(sub.name(), sub.summary())).join("\n")}`] : []),
    ...options,
    ...notes(command, level),
    ...(inOwnPages ? [] : below.flatMap((sub) => subcommand(sub))),
  ];
}

function subcommand(command) {
  const usage = escaped(`${nameOf(command).replaceAll("-", " ")} ${command.usage()}`);
  return [`.SH ${usage}\n${escaped(command.description())}`, ...body(command, "SS")];
}

/** The text that `addHelpText` adds after the options: notes, then examples. */
function notes(command, level) {
  let text = "";
  command.emit("afterHelp", {
    error: false,
    command,
    write: (more) => {
      text += more;
    },
  });
  const [before = "", examples] = text.split(/^Examples:\n/m);
  return [
    ...(before.trim() === "" ? [] : [`.${level} NOTES\n${verbatim(before.trim())}`]),
    ...(examples === undefined ? [] : [`.${level} EXAMPLES\n${verbatim(examples.trimEnd())}`]),
  ];
}

function groupOf(option) {
  return option.helpGroupHeading ?? "Options:";
}

/** As `Map.groupBy`, which Node.js 20 lacks. */
function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  }
  return groups;
}

function topic({ title, intro, entries }) {
  return `.SH ${title}\n${escaped(intro)}\n${entries.map(([term, text]) => item(term, text)).join("\n")}`;
}

function heading(text) {
  return escaped(text.replace(/:$/, "").toUpperCase());
}

function item(term, text) {
  return `.TP\n\\fB${escaped(term)}\\fR\n${escaped(text)}`;
}

function verbatim(text) {
  return `.nf\n${text.split("\n").map(escaped).join("\n")}\n.fi`;
}

/** Escapes text so that roff finds no request and no escape in it. */
function escaped(text) {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
}
