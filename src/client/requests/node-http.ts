import { createRequire } from "node:module";

/** Loaded by `require`, because an import reads every export, and that of `WebSocket` loads Node.js's own undici with its WebAssembly. */
export const http = createRequire(import.meta.url)("node:http") as typeof import("node:http");
