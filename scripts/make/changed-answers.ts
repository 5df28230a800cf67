import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  loadPlayer,
  readRecording,
  recordingNames,
  type Answer,
  type DifferentPlace,
  type Player,
  type Scenario,
} from "../../test/conformance/recorded.ts";
import { defineMaker } from "../programs/program.ts";

/** The changes, and the steps (`B334/1`) whose answers have each. */
interface Changes {
  readonly families: Map<string, string[]>;
  answers: number;
  changed: number;
}

export const program = defineMaker({
  about:
    "Lists the answers that differ between two Kubernetes versions, in recordings of the same scenarios, and writes the changed ones.",
  needs: ["the shared recordings"],
  words: { name: "OLD NEW", about: "two folders of recordings", least: 2, most: 2 },
  options: {
    write: { type: "text", about: "folder for the scenarios of NEW in which an answer changed" },
  },
  run: async ({ values: { write }, words: [oldFolder = "", newFolder = ""] }) => {
    const changes: Changes = { families: new Map(), answers: 0, changed: 0 };
    const player = await loadPlayer();
    const written: string[] = [];
    for (const name of recordingNames(oldFolder)) {
      const renewed = new Map(readRecording(newFolder, name).map((one) => [one.id, one]));
      const kept = readRecording(oldFolder, name).flatMap((scenario) => {
        const now = renewed.get(scenario.id);
        if (now === undefined)
          throw new Error(`${newFolder}/${name} lacks the scenario ${scenario.id}`);
        return compare(player, scenario, now, changes) ? [now] : [];
      });
      if (write === undefined || kept.length === 0) continue;
      mkdirSync(write, { recursive: true });
      const lines = kept.map((scenario) => JSON.stringify(scenario));
      writeFileSync(join(write, name), `[\n${lines.join(",\n")}\n]\n`);
      written.push(join(write, name));
    }
    const mostFirst = [...changes.families].sort(([, a], [, b]) => b.length - a.length);
    for (const [family, steps] of mostFirst) {
      console.log(`${steps.length} answers, for example ${steps[0] ?? ""}\n${family}\n`);
    }
    console.log(`${changes.changed} of ${changes.answers} answers changed`);
    return written;
  },
});

/** Whether an answer of a scenario changed; records the changes. */
function compare(
  { differences }: Player,
  before: Scenario,
  now: Scenario,
  changes: Changes,
): boolean {
  let any = false;
  for (const [index, { answer }] of before.steps.entries()) {
    if (answer === undefined) continue;
    changes.answers++;
    const found = differences(compared(answer), compared(now.steps[index]?.answer), "", [], 1000);
    const telling = mostTelling(found);
    if (telling === undefined) continue;
    any = true;
    changes.changed++;
    const family = describe(telling);
    changes.families.set(family, [
      ...(changes.families.get(family) ?? []),
      `${before.id}/${index + 1}`,
    ]);
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
