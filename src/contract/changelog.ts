/** A release and its changes; contract section 9 rule 4. */
interface Release {
  version: string;
  /** Breaking changes are `announced` before they ship (section 9 rule 3). */
  state: "announced" | "released";
  changes: readonly { kind: "added" | "changed" | "removed"; breaking: boolean; text: string }[];
}

/** The changelog of the API, newest release first. Names are in backticks. */
export const CHANGELOG: readonly Release[] = [
  {
    version: "0.2.0",
    state: "released",
    changes: [
      {
        kind: "changed",
        breaking: true,
        text: "There are three separate operations. The sample (at most 25 rows) is now `GET /v1/sample` (at most 100 rows), the products endpoint is now `GET /v1/catalog`, and coverage is now `GET /v1/coverage`.",
      },
      {
        kind: "changed",
        breaking: true,
        text: "The date parameters are named `start_date` and `end_date`. They still filter on `crawl_date`.",
      },
      {
        kind: "changed",
        breaking: true,
        text: "`mrp`, `selling_price` and `discount_pct` replace the single field `price`.",
      },
      {
        kind: "added",
        breaking: false,
        text: "The filters `department` and `rcd`, and the error code `unknown_department`.",
      },
      { kind: "added", breaking: false, text: "`meta.coverage` in every successful response." },
      {
        kind: "removed",
        breaking: true,
        text: "The endpoints that listed retailers and categories. A coverage request without filters replaces them.",
      },
      {
        kind: "removed",
        breaking: true,
        text: "Sandbox and production tiers of keys. There is one kind of key, and it reads the catalog directly.",
      },
      {
        kind: "added",
        breaking: false,
        text: "People create the keys that they need in the console. Keys do not expire.",
      },
      { kind: "changed", breaking: false, text: "Rate limits are counted per team." },
    ],
  },
];
