/** Names that a class of an imported kind cannot have. */
import { classMarkers, fieldMarkers } from "../../markers/registry.ts";

const WORDS =
  "Array Base64 BigInt Boolean CustomResource Date Double Duration Error Float Function Int Int32 Int64 " +
  "IntOrString Map MicroTime Never Num Number Object Partial Pick Omit Promise Quantity Readonly " +
  "ReadonlyArray ReadonlySet Record RegExp Required Set Str String Symbol Time With";

/** The names that a file of markers imports or takes from TypeScript's own library. */
export const reservedClassNames: ReadonlySet<string> = new Set([
  ...WORDS.split(" "),
  ...fieldMarkers.keys(),
  ...classMarkers,
]);
