/** The flags that only `tsop delete` has. */
import { Option } from "../../command.ts";

export const deletedGroup = new Option(
  "--group <group>",
  "API group, with or without the domain",
).default("");

export const forceDeletion = new Option(
  "--force",
  "also delete files that you changed or that other files import",
).default(false);
