/** Importing a stylesheet gives its text. */
declare module "*.css" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild gives the text of a file as its default export
  export default text;
}

/** Importing an SQL file gives its text. */
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild gives the text of a file as its default export
  export default text;
}
