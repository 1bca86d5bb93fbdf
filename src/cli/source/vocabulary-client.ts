import type { CatalogClient } from "../../api/client.ts";
import { rememberVocabulary, type VocabularyOwner } from "../../config/vocabulary.ts";
import type { Context } from "../../context.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import { ApiError } from "../../errors.ts";

/** Wraps a client so that the slugs in its responses and in its `unknown_…` errors are stored for completion. */
export function rememberingClient(client: CatalogClient, owner: VocabularyOwner, context: Context): CatalogClient {
  async function watched<T>(response: Promise<T>): Promise<T> {
    try {
      return await response;
    } catch (error) {
      const { field, valid_options = [], code } = error instanceof ApiError ? error.problem : {};
      const name = FILTER_NAMES.find((filter) => filter === field);
      if (code?.startsWith("unknown_") && name !== undefined && name !== "rcd") {
        await rememberVocabulary(owner, { slugs: { [name]: valid_options } }, { complete: false }, context);
      }
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
