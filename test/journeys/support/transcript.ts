/**
 * Transcripts of terminal sessions: commands with what they wrote, recorded against a real cluster and played again
 * against the control plane.
 *
 * A line that begins with `$ ` is a command for `sh`, `> ` goes on with it, and `## ` is a remark. The lines after it
 * are what it wrote: to standard output as it is, to standard error behind `! `, and `? N` when it ended with N. What
 * differs from run to run (identities, versions, times, ports) is replaced by a word.
 */
import { spawn } from "node:child_process";
import { WITHOUT_COLLECTOR } from "../../support/kubectl.ts";

/** One command of a session. */
export interface TranscriptStep {
  /** What was said before it, each line with its `##`. */
  readonly remarks: readonly string[];
  readonly command: string;
  readonly expected: readonly string[];
}

/** Where commands run. */
export interface Terminal {
  readonly folder: string;
  /** Folders of programs that come before those of `PATH`. */
  readonly programs: readonly string[];
  readonly kubeconfig: string;
}

/** The steps of a transcript's text. */
export function parseTranscript(text: string): TranscriptStep[] {
  const steps: { remarks: string[]; command: string; expected: string[] }[] = [];
  let remarks: string[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const step = steps.at(-1);
    if (line.startsWith("$ ")) {
      steps.push({ remarks, command: line.slice(2), expected: [] });
      remarks = [];
    } else if (line.startsWith("## ") || line === "") remarks.push(line);
    else if (line.startsWith("> ") || line === ">") {
      if (step) step.command += `\n${line.slice(2)}`;
    } else step?.expected.push(line);
  }
  return steps;
}

/** A transcript's text, of steps and what each wrote. */
export function formatTranscript(
  played: readonly { readonly step: TranscriptStep; readonly lines: readonly string[] }[],
): string {
  const parts = played.map(({ step: { remarks, command }, lines }) =>
    [...remarks, `$ ${command.replaceAll("\n", "\n> ").replace(/^> $/gm, ">")}`, ...lines].join(
      "\n",
    ),
  );
  return `${parts.join("\n")}\n`;
}

/** The longest that a command may take, in milliseconds. */
const LONGEST_MS = 120_000;

/** Runs a command and returns what it wrote, as a transcript has it. */
export function play(command: string, terminal: Terminal): Promise<string[]> {
  const { folder, programs, kubeconfig } = terminal;
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], {
      cwd: folder,
      // A command that asks back would wait for ever.
      timeout: LONGEST_MS,
      env: {
        PATH: [...programs, process.env["PATH"] ?? ""].join(":"),
        HOME: folder,
        KUBECONFIG: kubeconfig,
        TZ: "UTC",
        ...WITHOUT_COLLECTOR,
      },
    });
    const written = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (part: string) => (written[name] += part));
    }
    child.stdin.end();
    child.on("error", reject);
    child.on("close", (code) => {
      resolve([
        ...linesOf(written.stdout),
        ...linesOf(written.stderr).map((line) => `! ${line}`.trimEnd()),
        ...(code === 0 ? [] : [`? ${code}`]),
      ]);
    });
  });
}

function linesOf(text: string): string[] {
  return (
    text
      .split("\n")
      .map((line) => REPLACED.reduce((all, [pattern, word]) => all.replace(pattern, word), line))
      .map((line) => line.trimEnd().replace(/(?<=\S)(?=\s*\t|\s\s)\s+/g, "  "))
      // An empty line would end nothing and say nothing.
      .filter((line) => line !== "")
  );
}

/** What differs from run to run, and the word for it. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/https:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, "https://SERVER"],
  [/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, "UID"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?[+-]\d\d:?\d\d| UTC|Z)?/g, "TIME"],
  [/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME"],
  [/\b\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}/g, "TIME"],
  [/((?:resourceVersion|ResourceVersion)[\\"]*: ?[\\"]*)\d+/g, "$1VERSION"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "TOKEN"],
  [/\b10\.96\.\d+\.\d+\b/g, "10.96.X.X"],
  [/\b3[0-2]\d{3}\b/g, "NODEPORT"],
  [/\/tmp\/[\w./-]+/g, "FILE"],
  [/(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "xxxxx"],
  [/(?<=-|hash=)[bcdfghjklmnpqrstvwxz2456789]{7,10}\b/g, "HASH"],
  [/\(x\d+ over/g, "(xN over"],
  [/\b[\da-f]{64}\b/g, "DIGEST"],
  [/\b(\d+[dhms])+(?= |$|\)|,)/g, "AGE"],
];
