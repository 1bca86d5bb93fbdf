import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { isMet, parseCondition } from "../../src/cli/flags/condition.ts";
import { parseProductList } from "../../src/cli/source/product-list.ts";
import { readRetryAfter } from "../../src/client/requests/retry-timing.ts";
import { readBody } from "../../src/client/responses/body.ts";
import { readErrorBody } from "../../src/client/responses/problem-body.ts";
import { parseConfig } from "../../src/config/config-file.ts";
import { AlteredFolderError, FileError, MismatchError, UsageError } from "../../src/contract/errors.ts";
import { FILTER_NAMES } from "../../src/contract/filters.ts";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { isDateExpression, resolveDay } from "../../src/contract/values/date-expression.ts";
import { readManifest } from "../../src/export/manifest.ts";
import { ContentError } from "../../src/files/content-error.ts";
import { withChecksum } from "../../src/files/text-checksum.ts";
import { readLines } from "../../src/files/utf8-lines.ts";
import { readStateOf } from "../../src/folder/folder-state.ts";
import { readStoreLines } from "../../src/pull/store/store-lines.ts";
import { openCursor, sealCursor, selectionDigest } from "../../src/service/http/query/cursors.ts";
import { readFilters, readQuery } from "../../src/service/http/query/read-query.ts";
import { ServiceProblem } from "../../src/service/http/service-problem.ts";
import { readCsv } from "../../src/service/load/read-csv.ts";
import { readParquet } from "../../src/service/load/read-parquet.ts";
import { readRow, type SourceRow } from "../../src/service/load/row.ts";
import { product } from "../helpers/products.ts";
import { compareWithParse } from "../helpers/scan-oracle.ts";

/** Something that reads bytes of somebody else. */
interface Target {
  /** Reads the bytes; it throws only if they are read wrongly, not if they are refused. */
  read: (bytes: Buffer) => Promise<void> | void;
  /** Inputs from which others are made. */
  seeds: () => (string | Buffer)[];
}

/** A folder for the files of all targets. */
const folder = resolve("coverage/fuzz-files", String(process.pid));
mkdirSync(join(folder, ".catalog"), { recursive: true });

function pathOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Refusing the input with an error of these classes is right. */
async function refusing(errors: readonly (abstract new (...args: never) => Error)[], work: () => unknown) {
  try {
    await work();
  } catch (error) {
    if (!errors.some((kind) => error instanceof kind)) {
      throw error;
    }
  }
}

/** The lines with the checksums that the store gives them, so that what is behind the checksum is read, too. */
function withSums(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\}$/, ""));
  return lines.map((line) => `${line},"sum":"${hash("sha256", line).slice(0, 16)}"}\n`).join("");
}

async function readAll(rows: AsyncIterable<SourceRow[]>): Promise<void> {
  for await (const some of rows) {
    for (const row of some) {
      readRow(row, new Map());
    }
  }
}

const SECRET = Buffer.alloc(32, 7);
const NOW = Date.UTC(2026, 0, 15);
const HOUR = 3_600_000;
const AFTER = { sku: "s-1", retailer: "acme", day: 2026_01_31, product_id: "p-1" };
const FIELDS = ["percent", "selling_price", "days_old"] as const;

const LINES = [
  '{"kind":"head","version":4,"tool":"test","started_at":"2026-01-01T00:00:00Z","service":"a","filters":{"start_date":"2026-01-01"},"asked":{},"cuts":{"page_size":10,"slice_pages":1}}',
  '{"kind":"page","slice":"a","index":0,"rows":1,"digest":"00","cursor":null,"set":{"total":1},"extent":{"at":0,"length":2}}',
  '{"kind":"drop","slice":"a"}',
].join("\n");
const DAY = {
  rows: 1,
  digest: "",
  bytes: 1,
  sha256: "00",
  counts: [0, 1],
  checked: "2026-01-01T00:00:00.000Z",
};
const STATE = {
  ...{ version: 4, service: "http://a", filters: { retailer: ["a"] }, window: {}, combinations: ["a:b:c"] },
  ...{ days: { "2026-01-01": DAY }, pending: ["2026-01-02"], incomplete: true },
};
const MANIFEST = {
  ...{ version: 2, service: "http://a", filters: { retailer: "a" }, rows: 1, coverage: { matching_rows: 1 } },
  ...{ file: { name: "rows", bytes: 1, sha256: "00", format: "csv", compression: null } },
  plan: { slices: [{ filters: { retailer: "a" }, rows: 1 }] },
};

export const TARGETS: Readonly<Record<string, Target>> = {
  scanner: {
    read: (bytes) => compareWithParse(bytes.toString()),
    seeds: () => [JSON.stringify({ data: [product(), product({ title: 'é"\\' })], pagination: {}, meta: {} }), "{}"],
  },
  "store-lines": {
    read: (bytes) =>
      refusing([FileError], async () => {
        await readStoreLines(pathOf("lines", bytes));
        await readStoreLines(pathOf("lines", withSums(bytes.toString())));
      }),
    seeds: () => [LINES],
  },
  manifest: {
    read: async (bytes) => {
      const file = pathOf("rows", "");
      for (const text of [bytes, withChecksum(bytes.toString())]) {
        pathOf("rows.manifest.json", text);
        await refusing([FileError, MismatchError], () => readManifest(file));
      }
    },
    seeds: () => [JSON.stringify(MANIFEST).slice(0, -1), withChecksum(JSON.stringify(MANIFEST).slice(0, -1))],
  },
  state: {
    read: async (bytes) => {
      for (const text of [bytes, withChecksum(bytes.toString())]) {
        pathOf(".catalog/state.json", text);
        await refusing([FileError, AlteredFolderError], () => readStateOf(folder));
      }
    },
    seeds: () => [JSON.stringify(STATE).slice(0, -1)],
  },
  csv: {
    read: async (bytes) => {
      const header = Buffer.from(`${PRODUCT_COLUMNS.join()}\n`);
      for (const chunks of [[bytes], [header, bytes]]) {
        await refusing([ContentError], () => readAll(readCsv(readLines(Readable.from(chunks)), new Map())));
      }
    },
    seeds: () => [`${PRODUCT_COLUMNS.join()}\n`, `${Object.values(product()).join()}\n`, '"a ""quoted"" text"\r\n'],
  },
  parquet: {
    read: (bytes) =>
      refusing([ContentError], () =>
        readAll(readParquet(pathOf("rows.parquet", bytes), new Map(), new AbortController().signal)),
      ),
    // The corpus has whole files.
    seeds: () => ["PAR1"],
  },
  query: {
    read: (bytes) =>
      refusing([ServiceProblem], () => readFilters(readQuery(bytes.toString(), [...FILTER_NAMES, "limit", "cursor"]))),
    seeds: () => ["/v1/catalog?retailer=a%20b&limit=10", "/?rcd=a:b:c,d:e:f&start_date=2026-01-31&end_date=2026-02-29"],
  },
  cursor: {
    read: (bytes) =>
      refusing([ServiceProblem], () => {
        const position = openCursor(bytes.toString(), SECRET, NOW, HOUR);
        // Each cursor has one spelling.
        if (sealCursor(position, SECRET) !== bytes.toString()) {
          throw new Error("a cursor that the service did not issue");
        }
      }),
    seeds: () => {
      const position = { offset: 10, version: 3, after: AFTER, selection: selectionDigest("a"), issuedAt: NOW };
      return [sealCursor(position, SECRET)];
    },
  },
  problem: {
    read: async (bytes) => {
      const header = (name: string) => (name === "content-type" ? "application/problem+json" : "");
      const response = { status: 400, header, body: Readable.from([bytes]) };
      const { text } = readErrorBody(response, await readBody(response, 2 ** 20), (value) => value);
      if (/[\p{Cc}\u2028\u2029]/u.test(text)) {
        throw new Error(`not one line for a terminal: ${JSON.stringify(text)}`);
      }
    },
    seeds: () => [
      '{"type":"about:blank","title":"No","detail":"é","code":"invalid_request","valid_options":["a",1]}',
      "",
    ],
  },
  "retry-after": {
    read: (bytes) => {
      const wait = readRetryAfter(bytes.toString("latin1"), NOW);
      if (wait !== undefined && !(wait >= 0)) {
        throw new Error(`a wait of ${wait}`);
      }
    },
    seeds: () => ["120", "Thu, 15 Jan 2026 00:01:00 GMT", "Thursday, 15-Jan-26 00:01:00 GMT", "1.5"],
  },
  config: {
    read: (bytes) => refusing([UsageError], () => parseConfig(bytes.toString(), "config.toml")),
    seeds: () => ['default_profile = "a"\n[profiles.a]\nbase_url = "https://a.example"\napi_key = """k"""\n'],
  },
  condition: {
    read: (bytes) =>
      refusing([UsageError], () =>
        isMet(parseCondition(bytes.toString(), FIELDS), { percent: 1, selling_price: 2, days_old: undefined }),
      ),
    seeds: () => ["percent < -20 and selling_price >= 1.5", "days_old = 3"],
  },
  basket: {
    read: (bytes) => refusing([FileError], () => parseProductList(Readable.from([bytes]), "basket.csv")),
    seeds: () => ["sku,retailer,quantity\nB0CHX1W1XY,acme,2\n", 'sku\n"B0,1"\n'],
  },
  date: {
    read: (bytes) => {
      const text = bytes.toString();
      if (isDateExpression(text)) {
        const day = resolveDay(text, { today: "2026-01-15", latest: "2026-01-14" });
        if (!/^\d{4}-\d\d-\d\d$/.test(day)) {
          throw new Error(`no day: ${day}`);
        }
      }
    },
    seeds: () => ["today", "7d", "latest-30d", "2026-02-28", "2024-02-29"],
  },
};
