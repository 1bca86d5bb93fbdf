/** Prints rows of cells as a Markdown table, so that a run can go into a document as it is. */
export function printTable(title, headings, rows) {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => String(row[at]).length)));
  const line = (cells) => `| ${cells.map((cell, at) => String(cell).padEnd(widths[at])).join(" | ")} |`;
  console.log(`\n### ${title}\n`);
  console.log(line(headings));
  console.log(line(widths.map((width) => "-".repeat(width))));
  for (const row of rows) {
    console.log(line(row));
  }
}

export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
export const mebibytes = (bytes) => `${Math.round(bytes / 1024 / 1024)} MiB`;
export const ratio = (value, base) => (value / base).toFixed(2);

export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
