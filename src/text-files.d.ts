/** A stylesheet is imported as its text. */
declare module "*.css" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild gives the text of a file as its default export
  export default text;
}

/** So is a file of SQL. */
declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild gives the text of a file as its default export
  export default text;
}
