/** The ways in which code reaches the place where it calls its client. */
import type { CallRoute } from "./call-route.ts";
import { CLASSES } from "./classes.ts";
import { COLLECTIONS } from "./collections.ts";
import { FUNCTIONS } from "./functions.ts";
import { MORE_FUNCTIONS } from "./more-functions.ts";

/** All ways; the first is the plainest. */
export const CALL_ROUTES: readonly CallRoute[] = [
  ...FUNCTIONS,
  ...MORE_FUNCTIONS,
  ...COLLECTIONS,
  ...CLASSES,
];
