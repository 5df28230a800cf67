/**
 * Lists the answers that differ between two versions of Kubernetes, from two sets of recordings of
 * the same scenarios (docs/next-kubernetes.md, step 4):
 *
 *   node scripts/run-ts.mjs scripts/kubernetes/changed-answers.ts OLD NEW [--write FOLDER]
 *
 * Prints the changes with the number of answers that have each, most frequent first. `--write`
 * keeps the scenarios of NEW in which an answer changed, so that the replay can take them in place
 * of those of OLD.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  loadPlayer,
  readRecording,
  recordingNames,
  type Answer,
  type DifferentPlace,
  type Player,
  type Scenario,
} from "../../test/conformance/recorded.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "string" } },
});
const [oldFolder, newFolder] = positionals;
if (oldFolder === undefined || newFolder === undefined) {
  console.error("usage: changed-answers.ts OLD NEW [--write FOLDER], each a folder of recordings");
  process.exit(2);
}

/** A change, and the steps (`B334/1`) whose answers have it. */
const families = new Map<string, string[]>();
let answers = 0;
let changed = 0;
const player = await loadPlayer();

for (const name of recordingNames(oldFolder)) {
  const renewed = new Map(readRecording(newFolder, name).map((one) => [one.id, one]));
  const kept = readRecording(oldFolder, name).flatMap((scenario) => {
    const now = renewed.get(scenario.id);
    if (now === undefined)
      throw new Error(`${newFolder}/${name} lacks the scenario ${scenario.id}`);
    return compare(player, scenario, now) ? [now] : [];
  });
  if (values.write === undefined || kept.length === 0) continue;
  mkdirSync(values.write, { recursive: true });
  const lines = kept.map((scenario) => JSON.stringify(scenario));
  writeFileSync(join(values.write, name), `[\n${lines.join(",\n")}\n]\n`);
}

for (const [family, steps] of [...families].sort(
  ([, one], [, other]) => other.length - one.length,
)) {
  console.log(`${steps.length} answers, for example ${steps[0] ?? ""}\n${family}\n`);
}
console.log(`${changed} of ${answers} answers changed`);

/** Whether an answer of a scenario changed; records the changes. */
function compare({ differences }: Player, before: Scenario, now: Scenario): boolean {
  let any = false;
  for (const [index, { answer }] of before.steps.entries()) {
    if (answer === undefined) continue;
    answers++;
    const found = differences(compared(answer), compared(now.steps[index]?.answer), "", [], 1000);
    const telling = mostTelling(found);
    if (telling === undefined) continue;
    any = true;
    changed++;
    const family = describe(telling);
    families.set(family, [...(families.get(family) ?? []), `${before.id}/${index + 1}`]);
  }
  return any;
}

/** The message of an error says most; the owner of a field follows from the field. */
function mostTelling(found: readonly DifferentPlace[]): DifferentPlace | undefined {
  return (
    found.find(({ path }) => /^\/body\/(~1)?message$/.test(path)) ??
    found.find(({ path }) => !path.includes("managedFields")) ??
    found[0]
  );
}

function describe({ path, expected, actual }: DifferentPlace): string {
  const place = path
    .replaceAll("~1", "/")
    .replace(/^\/events\/\d+\/object|^\/body\/+/, "")
    .replace(/^\/?items\/\d+\//, "")
    .replace(/\/(\d+|\[[^\]]*\])(?=\/|$)/g, "[]");
  return `  at ${place}\n    was ${template(expected)}\n    is  ${template(actual)}`;
}

/** A value without the parts that are specific to one object: quoted names, and numbers. */
function template(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\b\d+\b/g, "N")
    .slice(0, 200);
}

/** The compared part of an answer: three headers, and managers in any order. */
function compared(answer: Answer | undefined): unknown {
  if (answer === undefined) return null;
  if (answer.together) return { together: answer.together.map(compared) };
  const { headers, ...rest } = answer;
  const body = withSortedManagers(rest) as object;
  if (headers === undefined) return body;
  const names = ["content-type", "warning", "retry-after"];
  return {
    ...body,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name))),
  };
}

function withSortedManagers(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withSortedManagers(item));
    if (key !== "managedFields") return items;
    return items.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withSortedManagers(item, name)]),
  );
}
