/**
 * find and findAll.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library
 */
import { type Implementation, member, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { compilePattern } from "../patterns.ts";
import { INT, listOf, STRING } from "../types.ts";
import { CelError, noSuchOverload, ValueList } from "../values.ts";

function findAll(text: string, pattern: string, limit: number): string[] | CelError {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}

const find: Implementation = (text, pattern = null) => {
  if (typeof text !== "string" || typeof pattern !== "string") return noSuchOverload();
  const found = findAll(text, pattern, 1);
  return found instanceof CelError ? found : (found[0] ?? "");
};

const all: Implementation = (text, pattern = null, limit = -1n) => {
  if (typeof text !== "string" || typeof pattern !== "string" || typeof limit !== "bigint") {
    return noSuchOverload();
  }
  const found = findAll(text, pattern, limit < 0n ? Infinity : Number(limit));
  return found instanceof CelError ? found : new ValueList(found);
};

export const regexLibrary: Library = {
  functions: [
    functionOf("find", member("string_find_string", [STRING, STRING], STRING, find)),
    functionOf(
      "findAll",
      member("string_find_all_string", [STRING, STRING], listOf(STRING), all),
      member("string_find_all_string_int", [STRING, STRING, INT], listOf(STRING), all),
    ),
  ],
};
