import { createRequire } from "node:module";

/** An import would read all exports, and those of WebSockets load Node.js's own undici, with HTTP/2 and WebAssembly. */
export const http = createRequire(import.meta.url)("node:http") as typeof import("node:http");
