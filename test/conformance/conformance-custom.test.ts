import { compareGroups } from "./compared-groups.ts";

compareGroups((group) => group >= "J");
