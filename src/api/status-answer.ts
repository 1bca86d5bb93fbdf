import type { FromSchema } from "json-schema-to-ts";
import { type StatusFeed, statusFeedSchema } from "../contract/status.ts";
import { brokenContract, readShape } from "./shape.ts";

const STATES = ["operational", "degraded", "outage"] as const;

const { properties } = statusFeedSchema;
const suiteShape = properties.suites.items;

/** The feed with any text as the state of a day. */
const openDaysSchema = {
  ...statusFeedSchema,
  properties: {
    ...properties,
    suites: {
      type: "array",
      items: {
        ...suiteShape,
        properties: {
          ...suiteShape.properties,
          days: {
            type: "array",
            items: {
              ...suiteShape.properties.days.items,
              properties: { ...suiteShape.properties.days.items.properties, state: { type: "string" } },
            },
          },
        },
      },
    },
  },
} as const;

/**
 * Reads the status feed. The contract shows a state "no data" for days without giving its name on the wire, so every
 * name but the three others means that. Members that the contract does not name are left out.
 *
 * @throws ContractError where the document is not what contract section 4.5 promises.
 */
export function readStatusFeed(document: unknown): StatusFeed {
  const feed = readShape<FromSchema<typeof openDaysSchema>>(openDaysSchema, document, undefined);
  const suites = feed.suites.map((suite, index) => ({
    ...suite,
    days: suite.days.map(({ date, state, uptime_pct }, day) => {
      const known = STATES.find((name) => name === state);
      if (known !== undefined && uptime_pct === null) {
        throw brokenContract(`\`suites[${index}].days[${day}].uptime_pct\` is not a number from 0 to 100`, undefined);
      }
      return known === undefined
        ? { date, state: "no_data" as const, uptime_pct: null }
        : { date, state: known, uptime_pct };
    }),
  }));
  return { ...feed, suites };
}
