import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * `node:http`. An `import` of it reads every export, among them the getters for which Node.js 22 and newer load all of
 * their own undici: 30 ms and 10 MB at each start, and its memory for WebAssembly.
 */
export const nodeHttp = () => require("node:http") as typeof import("node:http");
