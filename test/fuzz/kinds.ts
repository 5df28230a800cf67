/** What `npm run verify -- fuzz` and the test beside this file can try. */
import type { FuzzKind } from "./campaign.ts";
import { answers } from "./answers.ts";
import { kubeconfigs } from "./kubeconfigs.ts";
import { objects } from "./objects.ts";
import { requests } from "./requests.ts";
import { reviews } from "./reviews.ts";
import { wire } from "./wire.ts";

/** Each kind of input by its name on the command line. */
export const fuzzKinds: Readonly<Record<string, FuzzKind>> = {
  answers,
  kubeconfigs,
  objects,
  requests,
  reviews,
  wire,
};
