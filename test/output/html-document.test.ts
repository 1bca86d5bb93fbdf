import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { escapeHtml, renderPage } from "../../src/output/html-document.ts";

test("text is escaped in an element and in an attribute", () => {
  expect(escapeHtml(`<script>"&'\u202e\u0000`)).toBe("&lt;script&gt;&quot;&amp;&#39;\\u202e\\x00");
});

test("the browser may load nothing for the page and run only its own script", () => {
  const page = renderPage({ title: "<t>", body: "<p>", style: "p{}", script: "run()" });
  const hash = createHash("sha256").update("run()").digest("base64");
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}';`);
  expect(page).toContain("<title>&lt;t&gt;</title>");
});
