/** What a release changed, in the words of contract section 9 rule 4. */
interface Release {
  version: string;
  /** `announced` releases are not out yet: breaking changes stand here before they ship (section 9 rule 3). */
  state: "announced" | "released";
  changes: readonly { kind: "added" | "changed" | "removed"; breaking: boolean; text: string }[];
}

/** The changelog of the API, the newest release first. Names are marked with backticks. */
export const CHANGELOG: readonly Release[] = [
  {
    version: "0.2.0",
    state: "released",
    changes: [
      {
        kind: "changed",
        breaking: true,
        text: "The operations are three that stand alone: the old sample (at most 25 rows) is `GET /v1/sample` (at most 100), the old products endpoint is `GET /v1/catalog`, the old coverage path is `GET /v1/coverage`.",
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
        text: "Keys are made by the people who need them, in the console. They do not expire.",
      },
      { kind: "changed", breaking: false, text: "Rate limits are counted per team." },
    ],
  },
];
