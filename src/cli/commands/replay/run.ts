/** `tsop replay`: replays a recorded reconcile, optionally under a debugger, and compares its writes. */
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { TsopError } from "../../../errors.ts";
import { readRecording } from "../../../runtime/replay/recording.ts";
import {
  REPLAY_REPORT_VARIABLE,
  REPLAY_VARIABLE,
  type ReplayReport,
} from "../../../runtime/replay/replay.ts";
import type { ReplayedWrite } from "../../../runtime/replay/replay-tap.ts";
import { fieldDifferences, type FieldDifference } from "../../../kube/field-differences.ts";
import { parseExact } from "../../../runtime/rest/json/exact-json.ts";
import type { CliContext } from "../../context.ts";
import { changeText } from "../../journal/reasons-text.ts";
import { bundleOperator } from "../../operator/bundle.ts";
import { debuggerEnv } from "../../operator/debugger.ts";
import { OperatorProcess } from "../../operator/operator-process.ts";
import { ExitCode, paint, printJson } from "../../output.ts";
import { endingOf } from "../../processes.ts";
import { writePrivateFile } from "../../project/private-file.ts";
import { getProject } from "../../project/project-file.ts";
import { generatedFile, generatedPath } from "../../project/tsop-folder.ts";
import { oneLine } from "../../../logging/one-line.ts";
import type { Run } from "../../command.ts";
import type { replay } from "./flags.ts";

const BUNDLE = generatedPath("replay", "main.mjs");
const REPORT = generatedPath("replay", "report.json");
const KUBECONFIG = generatedPath("replay", "kubeconfig");
const GRACE_MS = 5000;
/** The number of fields that are shown of one write. */
const SHOWN_FIELDS = 20;
/** A program may look for a cluster before it makes its manager; there is none. */
const NO_CLUSTER = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "recorded",
  contexts: [{ name: "recorded", context: { cluster: "recorded", user: "recorded" } }],
  users: [{ name: "recorded", user: {} }],
  clusters: [{ name: "recorded", cluster: { server: "https://127.0.0.1:1" } }],
};

export const run: Run<typeof replay> = async (file, options, context) => {
  const project = await getProject(context.cwd);
  const path = resolve(context.cwd, file);
  const { atMs } = readRecording(path);
  const { root } = project;
  await bundleOperator(root, BUNDLE);
  rmSync(join(root, REPORT), { force: true });
  const report = generatedFile(root, REPORT);
  writePrivateFile(join(root, KUBECONFIG), JSON.stringify(NO_CLUSTER));
  const out = (line: string): void => {
    context.out(line);
  };
  const err = (line: string): void => {
    context.err(line);
  };
  // The program's own output is kept out of a report that another program reads.
  const told = options.output === "json" ? { ...context, out: err } : context;
  const env = {
    KUBECONFIG: join(root, KUBECONFIG),
    [REPLAY_VARIABLE]: path,
    [REPLAY_REPORT_VARIABLE]: report,
    ...debuggerEnv(options.inspectBrk, context),
  };
  const operator = OperatorProcess.start({ root, file: BUNDLE, args: [], env }, told);
  const signal = context.untilInterrupted();
  signal.addEventListener("abort", () => void operator.stop(GRACE_MS), { once: true });
  const code = await operator.exited;
  const found = readReport(report);
  if (!found) {
    throw new TsopError(
      "not-replayed",
      `The operator ${endingOf(code)} without a replay.`,
      "See its last lines above. The program must create its manager with createManager() and start it.",
    );
  }
  if (options.output === "json") printJson({ out }, found);
  else for (const line of reportLines(found, atMs, context)) out(line);
  return found.differences.length === 0 ? ExitCode.ok : ExitCode.drift;
};

function readReport(path: string): ReplayReport | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ReplayReport;
  } catch {
    return undefined;
  }
}

function* reportLines(report: ReplayReport, atMs: number, context: CliContext): Generator<string> {
  const { bold, dim, green, yellow } = paint(context);
  const { controller, key, recorded, replayed, writes, differences } = report;
  const { unanswered, notRecorded } = report;
  const endOf = (outcome: ReplayReport["recorded"]): string =>
    outcome.is === "error" ? `failed: ${oneLine(outcome.message)}` : "succeeded";
  yield `${bold("replay")} ${controller} of ${key}, recorded ${new Date(atMs).toISOString()}`;
  yield `  recorded  ${endOf(recorded)}`;
  const unknown = unanswered[0];
  const end = unknown === undefined ? endOf(replayed) : yellow(`unknown: ${oneLine(unknown)}`);
  yield `  replayed  ${end}`;
  for (const write of writes) yield* writeLines(write, context);
  for (const what of notRecorded) yield dim(`  not recorded: ${what}`);
  if (differences.length === 0) {
    yield green(
      `the same: ${writes.length} ${writes.length === 1 ? "write" : "writes"}, byte by byte`,
    );
    return;
  }
  yield yellow(`${differences.length} ${differences.length === 1 ? "difference" : "differences"}`);
  for (const difference of differences) yield `  ${oneLine(difference)}`;
}

function* writeLines(write: ReplayedWrite, context: CliContext): Generator<string> {
  const { dim, red } = paint(context);
  const { request, recorded, replayed, isSame } = write;
  const [path = ""] = request.split("?");
  yield `  ${isSame ? dim("same ") : red("other")}     ${path}`;
  if (isSame) return;
  const fields = [...fieldDifferences(bodyOf(recorded), bodyOf(replayed), () => false)];
  if (recorded === undefined) yield dim("    not sent in the recording; it would send");
  if (replayed === undefined) yield dim("    not sent now; the recording has");
  for (const field of fields.slice(0, SHOWN_FIELDS)) yield `    ${changeText(fieldOf(field))}`;
  const more = fields.length - SHOWN_FIELDS;
  if (more > 0) yield dim(`    and ${more} more fields: -o json has both bodies`);
}

/** A body as its fields; as one text where it is no JSON. */
function bodyOf(text: string | undefined): unknown {
  try {
    return text === undefined || text === "" ? undefined : parseExact(text);
  } catch {
    return text;
  }
}

/** A body as a whole has no path. */
const fieldOf = ({ path, before, after }: FieldDifference): FieldDifference => ({
  path: path === "" ? "body" : path,
  before,
  after,
});
