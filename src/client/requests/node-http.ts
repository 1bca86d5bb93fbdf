import { createRequire } from "node:module";

/** Loaded by `require`: an import evaluates all exports, and those of WebSockets load Node.js's own undici with HTTP/2 and WebAssembly. */
export const http = createRequire(import.meta.url)("node:http") as typeof import("node:http");
