/** Something in a tree that cannot be run; the message says what. */
export class PlanError extends Error {}
