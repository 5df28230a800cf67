/**
 * The graph of an owner's wanted dependents: checked before anything is written, walked forwards to
 * create them and backwards to delete them.
 */
import { TsopError } from "../../errors.ts";
import type { Dependent } from "./dependent.ts";

export interface Wanted {
  readonly dependent: Dependent;
  /** The name: `ConfigMap d/web`. */
  readonly name: string;
  readonly after: readonly Wanted[];
}

/**
 * The graph of a list of dependents.
 *
 * @param nameOf - returns the name of each; throws for a dependent that is not allowed
 * @throws TsopError `dependents-misused` for one that is named twice, comes after one that is not in the list, or after
 *   itself
 */
export function wantedGraph(
  desired: readonly Dependent[],
  nameOf: (dependent: Dependent) => string,
  owner: string,
): Wanted[] {
  const nodes = new Map<Dependent, { dependent: Dependent; name: string; after: Wanted[] }>();
  const names = new Set<string>();
  for (const dependent of desired) {
    const name = nameOf(dependent);
    if (names.has(name)) {
      throw misused(
        `${name} is wanted twice by the ${owner}`,
        "List it once: the second entry would undo the first.",
      );
    }
    names.add(name);
    nodes.set(dependent, { dependent, name, after: [] });
  }
  const graph = [...nodes.values()];
  for (const [index, node] of graph.entries()) {
    const previous = graph[index - 1];
    const { after = previous ? [previous.dependent] : [] } = node.dependent;
    for (const before of after) {
      const found = nodes.get(before);
      if (!found) {
        throw misused(
          `${node.name} comes after ${nameOf(before)}, which the ${owner} does not want`,
          "Add it to the list that `desired` returns.",
        );
      }
      node.after.push(found);
    }
  }
  assertNoCircle(graph);
  return graph;
}

/** Only a dependent without `after`, which comes after the one before it, can close a cycle. */
function assertNoCircle(graph: readonly Wanted[]): void {
  const done = new Set<Wanted>();
  const visit = (node: Wanted, path: readonly Wanted[]): void => {
    if (done.has(node)) return;
    if (path.includes(node)) {
      const circle = [...path.slice(path.indexOf(node)), node].map(({ name }) => name);
      throw misused(
        `Each of these comes after the next: ${circle.join(", ")}`,
        "List prerequisites first, or set `after` on each of them.",
      );
    }
    for (const before of node.after) visit(before, [...path, node]);
    done.add(node);
  };
  for (const node of graph) visit(node, []);
}

/** The outcome of one dependent. */
export type Outcome<R> =
  | { readonly is: "done"; readonly ready: boolean; readonly result: R }
  | { readonly is: "failed"; readonly error: unknown }
  | { readonly is: "blocked" };

/**
 * Runs a step for each dependent, once all its predecessors are ready; independent ones run at
 * once. One that fails stops its successors and nothing else.
 *
 * @returns the outcomes in the order of the list
 */
export async function walk<R>(
  graph: readonly Wanted[],
  before: (node: Wanted) => readonly Wanted[],
  visit: (node: Wanted) => Promise<{ readonly ready: boolean; readonly result: R }>,
): Promise<Outcome<R>[]> {
  const outcomes = new Map<Wanted, Promise<Outcome<R>>>();
  const run = async (node: Wanted): Promise<Outcome<R>> => {
    const earlier = await Promise.all(before(node).map(outcomeOf));
    if (!earlier.every((one) => one.is === "done" && one.ready)) return { is: "blocked" };
    try {
      return { is: "done", ...(await visit(node)) };
    } catch (error) {
      return { is: "failed", error };
    }
  };
  const outcomeOf = (node: Wanted): Promise<Outcome<R>> => {
    const known = outcomes.get(node) ?? run(node);
    outcomes.set(node, known);
    return known;
  };
  return Promise.all(graph.map(outcomeOf));
}

/** The successors of each dependent: the graph backwards. */
export function backwards(graph: readonly Wanted[]): (node: Wanted) => readonly Wanted[] {
  return (node) => graph.filter(({ after }) => after.includes(node));
}

export function misused(detail: string, fix: string): TsopError {
  return new TsopError("dependents-misused", `${detail}.`, fix);
}
