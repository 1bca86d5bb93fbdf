import type { CatalogClient } from "../../api/client.ts";
import { rememberVocabulary, type VocabularyOwner } from "../../config/vocabulary.ts";
import type { Context } from "../../context.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import { ApiError } from "../../errors.ts";

/** Wraps a client so that the slugs in its responses are stored for completion. */
export function rememberingClient(client: CatalogClient, owner: VocabularyOwner, context: Context): CatalogClient {
  async function watched<T>(response: Promise<T>): Promise<T> {
    try {
      return await response;
    } catch (error) {
      await rememberOptions(error, owner, context);
      throw error;
    }
  }
  return {
    ...client,
    sample: (...args) => watched(client.sample(...args)),
    catalog: (...args) => watched(client.catalog(...args)),
    coverage: async (filters, signal) => {
      const response = await watched(client.coverage(filters, signal));
      const complete = FILTER_NAMES.every((name) => filters[name] === undefined);
      await rememberVocabulary(owner, { rcds: response.data.map(({ rcd }) => rcd) }, { complete }, context);
      return response;
    },
  };
}

/** Stores the valid values that an `unknown_…` error lists. */
async function rememberOptions(error: unknown, owner: VocabularyOwner, context: Context): Promise<void> {
  if (!(error instanceof ApiError) || !error.problem.code?.startsWith("unknown_")) {
    return;
  }
  const { field, valid_options = [] } = error.problem;
  const name = FILTER_NAMES.find((filter) => filter === field);
  if (name !== undefined && name !== "rcd") {
    await rememberVocabulary(owner, { slugs: { [name]: valid_options } }, { complete: false }, context);
  }
}
