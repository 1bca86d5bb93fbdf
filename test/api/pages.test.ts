import { afterEach, expect, test } from "vitest";
import { walkPages } from "../../src/api/pages.ts";
import { type ApiError, ContractError } from "../../src/errors.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { META, pageBody, problemBody } from "../helpers/envelopes.ts";
import { answer, type Behaviour, type FaultServer, startFaultServer } from "../helpers/fault-server.ts";
import { productRow } from "../helpers/products.ts";
import { testClient } from "../helpers/test-client.ts";

const ROW = productRow();

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

const FILTERS = { retailer: "acme" };
const APPLIED = { ...META, resolved: { ...META.resolved, retailer: "acme" } };

/** A page of the walk; without a `next` the last one. */
function page(rows: readonly string[], next?: string): Behaviour {
  const position = { total_matching: 9, next_cursor: next ?? null, has_more: next !== undefined };
  return answer({ body: pageBody(rows, position, APPLIED) });
}

async function walk(script: readonly Behaviour[]) {
  const server: FaultServer = await startFaultServer(script);
  const { client } = testClient(server.url);
  open.push(server, client);
  return { server, pages: walkPages(client, FILTERS, { limit: 2 }) };
}

/** The rows that were handed out and what ended the walk. */
async function drain(pages: AsyncGenerator<{ rows: RowBatch }>) {
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
  const { server, pages } = await walk([page([row("1")], "c+/=1"), page([], "c2"), page([row("2"), row("3")])]);
  expect(await drain(pages)).toEqual({ rows: ["1", "2", "3"].map(row), error: undefined });
  expect(server.requests.map(({ target }) => target)).toEqual([
    "/v1/catalog?retailer=acme&limit=2",
    "/v1/catalog?retailer=acme&limit=2&cursor=c%2B%2F%3D1",
    "/v1/catalog?retailer=acme&limit=2&cursor=c2",
  ]);
});

test("a page is requested only when the caller asks for it", async () => {
  const { server, pages } = await walk([page([ROW], "c1"), page([ROW])]);
  await pages.next();
  expect(server.requests.length).toBe(1);
  await pages.return();
});

test("a repeated cursor ends the walk before a row is returned twice", async () => {
  const { server, pages } = await walk([
    page(["1"].map(row), "c1"),
    page(["2"].map(row), "c2"),
    page(["3"].map(row), "c1"),
  ]);
  const message =
    "The service's response breaks its contract: `next_cursor` repeats the cursor of an earlier page (request req-1)";
  expect(await drain(pages)).toEqual({ rows: [row("1"), row("2")], error: new ContractError(message, "req-1", true) });
  expect(server.requests.length).toBe(3);
});

function row(number: string): string {
  return productRow({ mrp: number });
}

test("endless empty pages end the walk", async () => {
  const { pages } = await walk([page([ROW], "c0"), page([], "c1"), page([], "c2"), page([], "c3")]);
  const message =
    "The service's response breaks its contract: 3 pages in a row without rows, though `has_more` is true (request req-1)";
  expect(await drain(pages)).toEqual({ rows: [ROW], error: new ContractError(message, "req-1", true) });
});

test("an invalid cursor is thrown to the caller", async () => {
  const body = problemBody({ code: "invalid_cursor", retryable: false, status: 400 });
  const { pages } = await walk([page([ROW], "c1"), answer({ status: 400, body })]);
  const { rows, error } = await drain(pages);
  expect({ rows, code: (error as ApiError).problem.code }).toEqual({ rows: [ROW], code: "invalid_cursor" });
});
