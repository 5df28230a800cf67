/** A command uses something that is not simulated. */
export class NotUnderstood extends Error {}
