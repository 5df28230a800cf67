/**
 * Plays the manifests of a recording of a real node on virtual time, and compares what a watcher sees. Times are not compared, nor is a
 * change of a pod that none of these lines shows.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type ControlPlane, startControlPlane, VirtualClock } from "../../../src/testing.ts";
import { cleaned, eventLine, ownerLines, podLines, type Seen } from "./lines.ts";
import { Steps } from "./steps.ts";

/** What was seen: lines by their subject, such as `pod p` or `events`. */
export type Sections = ReadonlyMap<string, readonly string[]>;

const OWNERS = new Map([
  ["jobs.batch", "Job"],
  ["cronjobs.batch", "CronJob"],
  ["deployments.apps", "Deployment"],
  ["statefulsets.apps", "StatefulSet"],
  ["daemonsets.apps", "DaemonSet"],
  ["poddisruptionbudgets.policy", "PodDisruptionBudget"],
]);

/** How much earlier or later than the recording's end is looked at, too. */
const AROUND_MS = 2000;

/** The names of the recordings in a folder with `manifests` and `recorded/real-*`. */
export const recordingNames = (folder: string): string[] =>
  readdirSync(join(folder, "manifests")).map((file) => file.replace(/\.yaml$/, ""));

/** The recording of a real node. */
export function readRecording(folder: string, name: string): Sections {
  const [version = ""] = readdirSync(join(folder, "recorded"));
  const text = readFileSync(join(folder, "recorded", version, `${name}.txt`), "utf8");
  const sections = new Map<string, readonly string[]>();
  for (const part of text.split(/^== /m).slice(1)) {
    const [title = "", ...rest] = part.trimEnd().split("\n");
    const subject = title.startsWith("events") ? "events" : title;
    const items = rest
      .join("\n")
      .split(/^@ *[\d.]+s /m)
      .slice(1);
    sections.set(
      subject,
      items.map((item) => item.trimEnd()),
    );
  }
  return normalized(sections);
}

/** Without kubectl's own output, and changes that show nothing. */
function normalized(sections: Sections): Sections {
  const kept = new Map<string, readonly string[]>();
  for (const [subject, lines] of sections) {
    if (subject.startsWith("kubectl")) continue;
    const shown = lines.filter((line) => !line.includes("(same)"));
    kept.set(subject, subject === "events" ? shown.toSorted() : shown);
  }
  return kept;
}

/**
 * Plays a manifest; the seed decides what is left to chance. Returns what was seen by some times around the end of the recording, as times
 * are not compared.
 */
export async function play(
  folder: string,
  name: string,
  seed: number,
): Promise<readonly Sections[]> {
  const text = readFileSync(join(folder, "manifests", `${name}.yaml`), "utf8");
  const clock = new VirtualClock({ startMs: Date.parse("2026-01-05T10:00:00Z"), seed });
  const cluster = await startControlPlane({ clock, listen: false, podTiming: "real" });
  try {
    return await watched(cluster, clock, name, text);
  } finally {
    await cluster.stop();
  }
}

async function watched(
  cluster: ControlPlane,
  clock: VirtualClock,
  name: string,
  text: string,
): Promise<readonly Sections[]> {
  const namespace = `k-${name}`;
  const steps = new Steps(cluster, namespace);
  await steps.send("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  await cluster.settle();
  const watcher = new Watcher(namespace);
  cluster.onChange(({ type, resource, object }) => watcher.see(type, resource, object));
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await cluster.settle();
  };
  await pass(300);
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as Seen | null;
    if (object) await steps.create(object);
  }
  await cluster.settle();
  const seconds = Number(/# for: (\d+)/.exec(text)?.[1] ?? 15);
  const commands = [...text.matchAll(/^# at (\d+): (.*)$/gm)].map(([, at, command = ""]) => ({
    atMs: Number(at) * 1000 + 600,
    command,
  }));
  const seen: Sections[] = [];
  for (let atMs = 0; atMs < seconds * 1000 + AROUND_MS; atMs += 100) {
    for (const { command } of commands.filter((one) => one.atMs === atMs)) {
      await steps.run(command);
      await cluster.settle();
    }
    await pass(100);
    if (atMs >= seconds * 1000 - AROUND_MS && atMs % 500 === 0) seen.push(watcher.sections());
  }
  return seen;
}

class Watcher {
  readonly #namespace: string;
  readonly #lines = new Map<string, string[]>();
  readonly #last = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #events = new Map<string, Seen>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  see(type: string, resource: string, object: Seen): void {
    if (object.metadata.namespace !== this.#namespace) return;
    if (resource === "events") {
      this.#events.set(object.metadata.uid ?? "", object);
      return;
    }
    const owner = OWNERS.get(resource);
    if (owner === undefined && resource !== "pods") return;
    const subject = owner ?? "pod";
    const name = owner === undefined ? this.#nameOf(object) : (object.metadata.name ?? "");
    const lines = owner === undefined ? podLines(object) : ownerLines(object);
    const text = [type, ...lines].join("\n    ");
    const key = `${subject} ${name}`;
    if (this.#last.get(key) === text) return;
    this.#last.set(key, text);
    const known = this.#lines.get(key);
    if (known) known.push(text);
    else this.#lines.set(key, [text]);
  }

  /** The name of a pod, numbered when a controller made it up. */
  #nameOf({ metadata }: Seen): string {
    const { name = "", generateName, ownerReferences, labels } = metadata;
    if ((!generateName && !ownerReferences) || /^w-\d$|^j$/.test(name)) return name;
    const isIndexed = labels?.["batch.kubernetes.io/job-completion-index"] !== undefined;
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const made = `${isIndexed ? "INDEXED" : "POD"}-${this.#names.size + 1}`;
    this.#names.set(name, made);
    return made;
  }

  sections(): Sections {
    const clean = (text: string): string => cleaned(text, this.#namespace, this.#names).trimEnd();
    const sections = new Map<string, readonly string[]>();
    for (const [subject, lines] of this.#lines) sections.set(clean(subject), lines.map(clean));
    sections.set(
      "events",
      [...this.#events.values()].map((event) => clean(eventLine(event))),
    );
    return normalized(sections);
  }
}
