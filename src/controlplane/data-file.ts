/** Reads data files of the program, which are beside the code. */
import { readFileSync } from "node:fs";

/** Parses a JSON file of the program, whose shape the caller knows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says in one place that the shape is the caller's
export function readData<T>(file: URL): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
