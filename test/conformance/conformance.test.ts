import { compareGroups } from "./compared-groups.ts";

// The groups of custom resources and of controllers have a file of their own: each half takes as long as the other.
compareGroups((group) => group < "J");
