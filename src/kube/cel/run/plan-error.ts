/** Thrown for a part of a tree that cannot be run; the message names it. */
export class PlanError extends Error {}
