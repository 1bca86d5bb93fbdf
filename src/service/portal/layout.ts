import { type Html, html } from "./html.ts";

/** Kept as one constant, since the `html` tag would escape the quotes of interpolated CSS. */
const style: Html = {
  markup: `<style>
:root {
  color-scheme: light dark;
  --ground: #fff; --card: #f6f7f9; --line: #dfe3e8; --text: #1b1f24; --quiet: #57606a; --link: #0b62c4;
  --operational: #2da05a; --degraded: #d99a00; --outage: #d1383d; --no-data: #c9ced6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111418; --card: #1a1e24; --line: #2e353e; --text: #e6e9ed; --quiet: #9aa4b0; --link: #6db3ff;
    --operational: #3fb970; --degraded: #e3b341; --outage: #f0666b; --no-data: #3b434d;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
.card h2, .card h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .4rem 0; }
a { color: var(--link); }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0 0 1rem; }
.card:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.row { display: flex; flex-wrap: wrap; gap: .2rem 1rem; justify-content: space-between; align-items: baseline; }
.tags { display: flex; flex-wrap: wrap; gap: .4rem; margin: .3rem 0 .5rem; padding: 0; list-style: none; font-size: .85rem; }
.tags li { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; }
.banner { border-left: .4rem solid var(--state); }
.bars { display: flex; gap: 1px; height: 2.2rem; margin: .8rem 0 .3rem; padding: 0; list-style: none; }
.bars li { flex: 1; min-width: 1px; border-radius: 1px; background: var(--state); }
.dot { display: inline-block; width: .65em; height: .65em; margin-right: .4em; border-radius: 50%; background: var(--state); }
.endpoints { margin: .8rem 0 0; padding: 0; list-style: none; }
.endpoints li { border-top: 1px solid var(--line); padding: .4rem 0; }
.updates { margin: .6rem 0 0; padding: 0 0 0 .9rem; border-left: 2px solid var(--line); list-style: none; }
.updates li { margin: 0 0 .7rem; overflow-wrap: anywhere; }
.operational { --state: var(--operational); }
.degraded { --state: var(--degraded); }
.outage { --state: var(--outage); }
.no_data { --state: var(--no-data); }
</style>`,
};

/** A whole page: readable on a phone, light or dark as the reader's system is. */
export function page(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${style}
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}
