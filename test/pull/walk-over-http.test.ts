import { afterEach, expect, test } from "vitest";
import { ContractError } from "../../src/contract/errors.ts";
import { walkSlice } from "../../src/pull/walk.ts";
import { META, pageBody } from "../helpers/envelopes.ts";
import { answer, type Behaviour, startFaultServer } from "../helpers/fault-server.ts";
import { productRow } from "../helpers/products.ts";
import { testClient } from "../helpers/test-client.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

const FILTERS = { retailer: "acme" };
const APPLIED = { ...META, resolved: { ...META.resolved, retailer: "acme" } };

/** A page of a set of three rows; without a `next` the last one. */
function page(numbers: readonly string[], next?: string): Behaviour {
  const position = { total_matching: 3, next_cursor: next ?? null, has_more: next !== undefined };
  return answer({ body: pageBody(numbers.map(row), position, APPLIED) });
}

function row(number: string): string {
  return productRow({ product_id: JSON.stringify(number), retailer: JSON.stringify("acme") });
}

async function walk(script: readonly Behaviour[]) {
  const server = await startFaultServer(script);
  const { client } = testClient(server.url);
  open.push(server, client);
  return { server, pages: walkSlice(client, FILTERS, { pageSize: 2, signal: new AbortController().signal }) };
}

/** The rows that were handed out and what ended the walk. */
async function drain(pages: ReturnType<typeof walkSlice>) {
  const rows: string[] = [];
  try {
    for await (const { rows: more } of pages) {
      rows.push(...more.texts());
    }
    return { rows, error: undefined };
  } catch (error) {
    return { rows, error };
  }
}

test("a walk resends its filters and the cursor as received, page after page, and ends on has_more alone", async () => {
  const { server, pages } = await walk([page(["1"], "c+/=1"), page([], "c2"), page(["2", "3"]), page(["1"], "c3")]);
  expect(await drain(pages)).toEqual({ rows: ["1", "2", "3"].map(row), error: undefined });
  expect(server.requests.map(({ target }) => target)).toEqual([
    "/v1/catalog?retailer=acme&limit=2",
    "/v1/catalog?retailer=acme&limit=2&cursor=c%2B%2F%3D1",
    "/v1/catalog?retailer=acme&limit=2&cursor=c2",
    "/v1/catalog?retailer=acme&limit=2",
  ]);
});

test("a page is requested only when the caller asks for it", async () => {
  const { server, pages } = await walk([page(["1"], "c1"), page(["2"])]);
  await pages.next();
  expect(server.requests.length).toBe(1);
  await pages.return();
});

test("a repeated cursor ends the walk before a row is returned twice", async () => {
  const { server, pages } = await walk([page(["1"], "c1"), page(["2"], "c2"), page(["3"], "c1")]);
  const message =
    "The service's response breaks its contract: `next_cursor` repeats the cursor of an earlier page (request req-1)";
  expect(await drain(pages)).toEqual({ rows: ["1", "2"].map(row), error: new ContractError(message, "req-1", true) });
  expect(server.requests.length).toBe(3);
});

test("empty pages before the end are no error", async () => {
  const first = page(["1", "2"], "c0");
  const { pages } = await walk([first, page(["3"], "c1"), page([], "c2"), page([], "c3"), page([]), first]);
  expect(await drain(pages)).toEqual({ rows: ["1", "2", "3"].map(row), error: undefined });
});

test("endless empty pages end the walk", async () => {
  const { pages } = await walk([page(["1"], "c0"), page([], "c1"), page([], "c2"), page([], "c3")]);
  const message =
    "The service's response breaks its contract: 3 pages in a row without rows, though `has_more` is true (request req-1)";
  expect(await drain(pages)).toEqual({ rows: ["1"].map(row), error: new ContractError(message, "req-1", true) });
});
