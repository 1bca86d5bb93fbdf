import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** The stylesheet of all pages. Text has a contrast of at least 4.5 to 1 in light and dark mode. */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fdfdfc; --raised: #f4f5f3; --line: #d9dcd6; --edge: #82887c; --text: #1d211c; --quiet: #575d55;
  --accent: #14614f; --on-accent: #ffffff; --accent-soft: #e3efeb; --danger: #a3262a; --danger-soft: #fbeaea;
  --shade: #1d211c40; --operational: #23875a; --degraded: #b97a00; --outage: #c62f35; --no-data: #c6cac2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121513; --raised: #1b1f1c; --line: #323833; --edge: #78807a; --text: #e5e8e4; --quiet: #a3aba4;
    --accent: #74cdb4; --on-accent: #0c1f1a; --accent-soft: #1a302a; --danger: #ff9a98; --danger-soft: #351c1d;
    --shade: #000000b0; --operational: #3fb27c; --degraded: #dba13a; --outage: #ef6a6c; --no-data: #3e453f;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); text-underline-offset: .18em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .5rem; }
.top { border-bottom: 1px solid var(--line); }
.top > div { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; align-items: baseline; max-width: 62rem; margin: 0 auto; padding: .9rem 1.25rem; }
.brand { font-weight: 650; color: var(--text); text-decoration: none; margin-right: auto; }
.top ul { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: 0; padding: 0; list-style: none; }
.top li a { display: inline-block; padding: .25rem 0; color: var(--quiet); text-decoration: none; }
.top li a:hover { color: var(--text); text-decoration: underline; }
.top li a[aria-current] { color: var(--text); box-shadow: inset 0 -2px var(--accent); }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main.narrow { max-width: 32rem; }
footer { width: min(59.5rem, calc(100% - 2.5rem)); margin: 0 auto; padding: 1.2rem 0 2.5rem; color: var(--quiet); font-size: .9rem; border-top: 1px solid var(--line); }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.6rem 0 .8rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p, li { max-width: 44rem; }
p { margin: .5rem 0; }
.lead { font-size: 1.1rem; color: var(--quiet); margin-bottom: 1.6rem; }
.quiet { color: var(--quiet); font-size: .92rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { font-size: .9em; overflow-wrap: anywhere; }
pre { border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; margin: .6rem 0 1rem; overflow-x: auto; font-size: .88rem; line-height: 1.55; }
pre code { font-size: 1em; overflow-wrap: normal; }
.card { background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
.card > h2, .card > h3, .row > h2, .row > h3 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere; }
.card:target, .type:target { border-color: var(--accent); box-shadow: 0 0 0 2px var(--accent); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); gap: 1rem; margin: 1.4rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.2rem; }
.tiles a { font-weight: 600; }
.tiles p { margin: .2rem 0 0; font-size: .95rem; color: var(--quiet); }
.row { display: flex; flex-wrap: wrap; gap: .2rem 1rem; justify-content: space-between; align-items: baseline; }
.tags { display: flex; flex-wrap: wrap; gap: .4rem; margin: .6rem 0 .6rem; padding: 0; list-style: none; font-size: .85rem; }
.tags li, .tag { border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .65rem; background: var(--ground); font-size: .85rem; white-space: nowrap; }
.tag.breaking { border-color: var(--danger); color: var(--danger); }
/* Where there is more to see, a bar and a shadow say so, also on systems that hide their bars. */
.scroll, pre { background: linear-gradient(to right, var(--under) 30%, transparent) 0 0 / 2.5rem 100%, linear-gradient(to left, var(--under) 30%, transparent) 100% 0 / 2.5rem 100%,
  linear-gradient(to right, var(--shade), transparent) 0 0 / .8rem 100%, linear-gradient(to left, var(--shade), transparent) 100% 0 / .8rem 100%;
  background-color: var(--under); background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
.scroll { --under: var(--ground); }
pre { --under: var(--raised); }
.scroll::-webkit-scrollbar, pre::-webkit-scrollbar { height: .6rem; }
.scroll::-webkit-scrollbar-thumb, pre::-webkit-scrollbar-thumb { background: var(--edge); border-radius: .3rem; }
@supports not selector(::-webkit-scrollbar) { .scroll, pre { scrollbar-color: var(--edge) transparent; } }
.scroll { position: relative; overflow-x: auto; margin: .8rem 0 1.2rem; border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .94rem; }
th, td { text-align: left; vertical-align: baseline; padding: .5rem .8rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--raised); color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; }
td.fit, th.fit { white-space: nowrap; }
.name { overflow-wrap: anywhere; min-width: 6.5rem; }
.who { margin-bottom: 1.2rem; }
td.wide { min-width: 16rem; }
tr.gone td, tr.gone th { color: var(--quiet); }
label { display: block; font-weight: 600; margin: 1.1rem 0 .35rem; }
input { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: .4rem; padding: .55rem .7rem; width: 100%; max-width: 24rem; }
input.code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 1.4rem; letter-spacing: .3em; max-width: 13rem; }
input[aria-invalid] { border: 2px solid var(--danger); }
.hint { color: var(--quiet); font-size: .92rem; margin: .35rem 0 0; }
.error { color: var(--danger); font-weight: 600; margin: .4rem 0 0; }
.actions { display: flex; flex-wrap: wrap; gap: .7rem 1rem; align-items: center; margin: 1.2rem 0 0; }
.inline { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
.inline input { flex: 1 1 14rem; }
button, .button { font: inherit; font-weight: 600; display: inline-block; cursor: pointer; border-radius: .4rem; padding: .5rem 1.05rem; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); text-decoration: none; }
button:hover, .button:hover { filter: brightness(1.08); }
button.plain, .button.plain { background: transparent; color: var(--accent); border-color: var(--edge); }
button.danger { background: var(--danger); border-color: var(--danger); color: var(--ground); }
a.revoke { color: var(--danger); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden] { display: none !important; }
.note { border-left: .3rem solid var(--accent); background: var(--accent-soft); border-radius: .3rem; padding: .8rem 1rem; margin: 1rem 0; }
.secret { display: block; background: var(--ground); border: 1px solid var(--edge); border-radius: .4rem; padding: .7rem .9rem; margin: .7rem 0; font-size: 1.02rem; overflow-wrap: anywhere; user-select: all; }
.banner { border-left: .4rem solid var(--state); font-size: 1.1rem; }
.bars { display: flex; gap: 1px; height: 2.3rem; margin: .9rem 0 .35rem; padding: 0; list-style: none; }
.bars li { flex: 1; min-width: 1px; border-radius: 1px; background: var(--state); }
.dot { display: inline-block; width: .65em; height: .65em; margin-right: .45em; border-radius: 50%; background: var(--state); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; margin: 0; padding: 0; list-style: none; }
.endpoints { margin: .9rem 0 0; padding: 0; list-style: none; }
.endpoints li { max-width: none; border-top: 1px solid var(--line); padding: .45rem 0; }
.endpoints li:last-child { padding-bottom: 0; }
.updates { margin: .7rem 0 0; padding: 0 0 0 1rem; border-left: 2px solid var(--line); list-style: none; }
.updates li { margin: 0 0 .8rem; overflow-wrap: anywhere; }
.updates li:last-child { margin: 0; }
.changes li { margin: 0 0 .7rem; }
.operational { --state: var(--operational); }
.degraded { --state: var(--degraded); }
.outage { --state: var(--outage); }
.no_data { --state: var(--no-data); }
.reference th.fit:first-child { width: 14rem; }
.reference td.fit { width: 16rem; }
@media (max-width: 40rem) {
  .top ul { gap: .1rem .8rem; font-size: .87rem; }
  .reference th.fit:first-child, .reference td.fit { width: auto; }
  main { padding-top: 1.4rem; }
  h1 { font-size: 1.5rem; }
  th, td { padding: .5rem .6rem; }
  .bars { gap: 0; }
  /* The page that revokes a key tells when it was created. */
  .created { display: none; }
  .tiles { gap: .6rem; }
  .tiles li { padding: .6rem .9rem; }
}
@media (forced-colors: active) { .bars li, .dot { forced-color-adjust: none; } }
`;

/** Copies a new secret, and removes it when the page is left: the browser may keep the page for its back button. */
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
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${ending}`, type, content };
}
