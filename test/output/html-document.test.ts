import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { html, link, renderPage } from "../../src/output/html-document.ts";

test("text is escaped in an element and in an attribute, and markup is not", () => {
  const text = `<script>"&'\u202e\u0000`;
  expect(html`<b title="${text}">${html`<i>${text}</i>`}</b>`.markup).toBe(
    '<b title="&lt;script&gt;&quot;&amp;&#39;\\u202e\\x00"><i>&lt;script&gt;&quot;&amp;&#39;\\u202e\\x00</i></b>',
  );
});

test.each([
  [
    'https://shop.example/a b|c?d="&e',
    '<a href="https://shop.example/a%20b|c?d=%22&amp;e" rel="noopener noreferrer">x</a>',
  ],
  ["javascript:alert(1)", "x"],
  ["//cdn.example/i.jpg", "x"],
  ["https://", "x"],
  [undefined, "x"],
])("the address %j becomes %s", (address, written) => {
  expect(link("x", address).markup).toBe(written);
});

test("the browser may load nothing for the page but its empty icon, and run only its own script", () => {
  const page = renderPage({ title: "<t>", body: html`<p>`, style: "p{}", script: "run()" });
  const script = /<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(script.endsWith("run()")).toBe(true);
  expect(page).toContain(
    `content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-${hash}&#39;;`,
  );
  expect(page).toContain("<title>&lt;t&gt;</title>");
});

test("a page without a script allows none, and a page tells no shop where its reader comes from", () => {
  const page = renderPage({ title: "t", body: html`<p>`, style: "", script: undefined });
  expect(page).not.toMatch(/script|id="tip"/);
  expect(page).toContain('<meta name="referrer" content="no-referrer">');
});
