/** The results of calls of JavaScript's own methods and of functions of tsop, as far as they hand values on. */
import { ts } from "../load.ts";
import { EACH, NOTHING, type Origins, type Path, plain } from "./paths.ts";

/** What following the result of such a call needs. */
export interface LibraryPorts<T> {
  readonly of: (node: ts.Expression, path: Path) => Origins<T>;
  /** The results of a function that is an argument. */
  readonly returned: (node: ts.Expression, path: Path) => Origins<T>;
  readonly lost: () => Origins<T>;
  readonly isMap: (node: ts.Expression) => boolean;
  readonly union: (all: readonly Origins<T>[]) => Origins<T>;
}

/** Methods of lists by their results. */
const SAME_LIST = new Set(
  "filter slice splice sort toSorted reverse toReversed flat fill values".split(" "),
);
const ONE_ITEM = new Set("find findLast at pop shift".split(" "));
/** Functions whose result is their first argument, a copy of it, or a list of its items. */
const FIRST = new Set(
  "all allSettled race any resolve from freeze seal fromEntries structuredClone".split(" "),
);

/** Calls of a client whose result is an object of the kind of their first argument. */
const RETURNS_OBJECT = /^(?:Reader|Client|StatusClient)\.(?:get|find|create|update|patch|apply)$/;
const RETURNS_LIST = /^Reader\.list(?:All)?$/;

/**
 * Follows the result of a call.
 *
 * @param member - the member of tsop that is called; empty for one of JavaScript's own
 */
export function libraryResult<T>(
  ports: LibraryPorts<T>,
  call: ts.CallExpression,
  member: string,
  path: Path,
): Origins<T> {
  return member === ""
    ? ofJavaScript(ports, call, path)
    : ofTsop(ports, call.arguments, member, path);
}

function ofTsop<T>(
  { of, lost }: LibraryPorts<T>,
  [first, second]: readonly ts.Expression[],
  member: string,
  path: Path,
): Origins<T> {
  const steps = path[0] === EACH ? path.slice(1) : path;
  if (RETURNS_OBJECT.test(member) && first) return of(first, path);
  if (RETURNS_LIST.test(member) && first) return of(first, steps);
  if (/^(?:metadataOf|mutableCopy|mergePatch|strategicPatch)$/.test(member) && first) {
    return of(first, path);
  }
  if (/^(?:createOrUpdate|createOrUpdateOwned|createOrPatch)$/.test(member) && second) {
    return of(second, path.slice(1));
  }
  return member === "findOwned" && second ? of(second, path) : lost();
}

function ofJavaScript<T>(ports: LibraryPorts<T>, call: ts.CallExpression, path: Path): Origins<T> {
  const { of, returned, lost, union, isMap } = ports;
  const callee = plain(call.expression);
  const [first, second] = call.arguments;
  const [step, ...rest] = path;
  if (ts.isIdentifier(callee))
    return callee.text === "structuredClone" && first ? of(first, path) : lost();
  if (!ts.isPropertyAccessExpression(callee)) return lost();
  const { expression: on } = callee;
  const name = callee.name.text;
  const isStatic = ts.isIdentifier(on) && ["Object", "Promise", "Array"].includes(on.text);
  if (isStatic) {
    if (name === "entries") {
      return first && step === EACH && rest[0] === "1"
        ? of(first, [EACH, ...rest.slice(1)])
        : lost();
    }
    if (name === "values") return first && step !== undefined ? of(first, [EACH, ...rest]) : lost();
    if (name === "assign") return union(call.arguments.map((one) => of(one, path)));
    if (name === "from" && second && step === EACH) return returned(second, rest);
    if (name === "of") return union(call.arguments.map((one) => of(one, rest)));
    if (name === "allSettled" && first && step && rest[0] === "value") {
      return of(first, [step, ...rest.slice(1)]);
    }
    return FIRST.has(name) && first ? of(first, path) : lost();
  }
  if (name === "then" && first) return returned(first, path);
  if (name === "catch" || name === "finally" || name === "bind") return of(on, path);
  if (name === "add" && step === EACH && first) return union([of(on, path), of(first, rest)]);
  if (name === "set" && step === EACH && second) {
    return union([of(on, path), rest[0] === "1" ? of(second, rest.slice(1)) : NOTHING]);
  }
  if (name === "get" && first) return of(on, [EACH, "1", ...path]);
  if (name === "values" && step !== undefined && isMap(on)) return of(on, [EACH, "1", ...rest]);
  if (name === "entries" && step !== undefined) {
    return isMap(on) ? of(on, path) : rest[0] === "1" ? of(on, [EACH, ...rest.slice(1)]) : NOTHING;
  }
  if (SAME_LIST.has(name) && step !== undefined) return of(on, [EACH, ...rest]);
  if (name === "concat" && step !== undefined) {
    return union([
      of(on, [EACH, ...rest]),
      ...call.arguments.map((one) => of(one, [EACH, ...rest])),
    ]);
  }
  if (ONE_ITEM.has(name)) return of(on, [EACH, ...path]);
  if (name === "map" && first && step !== undefined) return returned(first, rest);
  if (name === "flatMap" && first && step !== undefined) return returned(first, [EACH, ...rest]);
  return lost();
}
