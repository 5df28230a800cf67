import type { Strategy } from "../../kinds.ts";

/** Reports errors in the metadata of a new object only when everything else is valid. */
export const withMetadataLast = (strategy: Strategy): Strategy => ({
  ...strategy,
  validateCreate(object, { metadataErrors = [], ...context }) {
    const errors = strategy.validateCreate(object, context);
    return errors.length > 0 ? errors : [...metadataErrors];
  },
});
