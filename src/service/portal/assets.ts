import { hash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import STYLE from "./portal.css";

/** Copies a new secret, and removes it when the person leaves the page, which the browser may store for its back button. */
const SCRIPT = `
const secret = document.querySelector(".secret");
const copy = document.querySelector("#copy");
if (secret && copy) {
  const copied = document.querySelector("#copied");
  if (navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", () => {
      navigator.clipboard.writeText(secret.textContent.trim()).then(
        () => { copied.textContent = "Copied."; },
        () => { copied.textContent = "The browser did not allow it. Select the text and copy it."; },
      );
    });
  }
  addEventListener("pagehide", () => { secret.textContent = "The secret was shown once. It is no longer available."; copy.remove(); });
}
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#14614f"/><path d="M4 4.5h8M4 8h8M4 11.5h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>`;

/** The files that pages load. A name contains a hash of the content, so that browsers may cache the file forever. */
export const ASSETS = {
  style: asset("portal", "css", "text/css; charset=utf-8", STYLE),
  script: asset("portal", "js", "text/javascript; charset=utf-8", SCRIPT),
  icon: asset("icon", "svg", "image/svg+xml", ICON),
} as const;

export function serveAssets(app: FastifyInstance): void {
  for (const { path, type, content } of Object.values(ASSETS)) {
    app.get(path, async (_, reply) =>
      reply
        .headers({ "cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff" })
        .type(type)
        .send(Buffer.from(content)),
    );
  }
}

function asset(name: string, ending: string, type: string, content: string) {
  return { path: `/assets/${name}-${hash("sha256", content).slice(0, 12)}.${ending}`, type, content };
}
