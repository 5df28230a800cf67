// The public API of tsop/testing/vitest, for reviews: a change of it is seen here.
// Made from the code by `npm run make -- api`.

interface ExpectedCondition {
  readonly status?: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string | RegExp;
}

interface ExpectedOwnership {
  readonly controller?: boolean;
}
