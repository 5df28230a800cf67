/**
 * Sends the same mutated objects of the built-in kinds to a real API server and to the embedded
 * one, and compares the answers.
 *
 *   npm run differential -- --real KUBECONFIG [--kinds REGEX] [--seed N] [--count N | --all] [--answers FOLDER] [--show N] [--full N] [--match REGEX]
 *
 * `--kinds` chooses objects by `Kind/name`; `--count` is the number of questions for each kind,
 * `--all` asks each single change once. `--answers` keeps the real server's answers in a folder: a
 * later run compares with them, also without `--real`. `--match` shows only differences in which
 * the expression is found, `--full N` the first N of them whole. The server must be one that may be
 * filled with garbage.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { shapeOf } from "../test/controlplane/builtin/differential/compare.ts";
import { runDifferential } from "../test/controlplane/builtin/differential/run.ts";

const { values } = parseArgs({
  options: {
    real: { type: "string" },
    kinds: { type: "string" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    all: { type: "boolean", default: false },
    answers: { type: "string" },
    show: { type: "string", default: "40" },
    match: { type: "string" },
    progress: { type: "boolean", default: false },
    full: { type: "string", default: "0" },
    width: { type: "string", default: "400" },
  },
});
const percent = (same: number, asked: number): string =>
  `${same}/${asked} (${asked === 0 ? 100 : Math.floor((1000 * same) / asked) / 10} %)`;

const { byKind, disagreements } = await runDifferential({
  ...(values.real === undefined ? {} : { kubeconfig: readFileSync(values.real, "utf8") }),
  ...(values.answers === undefined ? {} : { answersFolder: values.answers }),
  ...(values.kinds === undefined ? {} : { only: new RegExp(values.kinds) }),
  seed: Number(values.seed),
  onKind: (kind, { asked, same }) => {
    if (values.progress) console.error(`${kind} ${percent(same, asked)}`);
  },
  count: values.all ? "all" : Number(values.count),
});

interface Group {
  count: number;
  readonly line: string;
  readonly title: string;
}
const groups = new Map<string, Group>();
const match = values.match === undefined ? undefined : new RegExp(values.match);
for (const { question, lines } of disagreements) {
  for (const line of lines) {
    if (match && !match.test(`${question.title} ${line}`)) continue;
    const group = groups.get(shapeOf(line)) ?? { count: 0, line, title: question.title };
    groups.set(shapeOf(line), { ...group, count: group.count + 1 });
  }
}
for (const { count, line, title } of [...groups.values()]
  .sort((one, other) => other.count - one.count)
  .slice(0, Number(values.show))) {
  console.log(
    `${String(count).padStart(5)} ${title}\n      ${line.slice(0, Number(values.width))}`,
  );
}
const shown = disagreements
  .filter(({ question, lines }) => !match || match.test(`${question.title} ${lines.join("\n")}`))
  .slice(0, Number(values.full));
for (const { question, real, ours } of shown) {
  console.log(`\n${question.title}\n${JSON.stringify({ ...question, real, ours }, null, 1)}`);
}
console.log(`${groups.size} shapes of differences\n`);
let [asked, same] = [0, 0];
for (const [kind, agreement] of [...byKind].sort(([one], [other]) => one.localeCompare(other))) {
  console.log(`${kind.padEnd(60)} ${percent(agreement.same, agreement.asked)}`);
  asked += agreement.asked;
  same += agreement.same;
}
console.log(`${"all".padEnd(60)} ${percent(same, asked)}`);
