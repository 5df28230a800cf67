/** Asks a real API server and the embedded one the same, and counts where the answers agree. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtInResources } from "../../../../src/controlplane/builtin/resources.ts";
import { startControlPlane } from "../../../../src/controlplane/control-plane.ts";
import type { SentObject } from "../../../../src/kube/object.ts";
import { Random } from "../../../support/random.ts";
import { type Answer, Asker, normalise } from "./answers.ts";
import { NAMESPACE, ownBases, recordedBases } from "./bases.ts";
import { differencesBetween } from "./compare.ts";
import { donorsOf } from "./mutations.ts";
import {
  type Place,
  type Question,
  STORED_VERSION,
  allQuestions,
  placeOf,
  someQuestions,
} from "./requests.ts";

/** What to ask. */
export interface DifferentialOptions {
  /** Of the real server; when left out, only what `answersFolder` holds is compared. */
  readonly kubeconfig?: string;
  /** A folder that keeps the real server's answers for the next run. */
  readonly answersFolder?: string;
  readonly seed: number;
  /** Questions for each kind; `all` asks each single change of the project's own objects once. */
  readonly count: number | "all";
  /** Which objects, by `Kind/name`. */
  readonly only?: RegExp;
  readonly onKind?: (kind: string, agreement: Agreement) => void;
}

/** How many of the answers to one kind's questions were the same. */
interface Agreement {
  readonly asked: number;
  readonly same: number;
}

/** A question that was answered differently. */
interface Disagreement {
  readonly question: Question;
  readonly real: Answer;
  readonly ours: Answer;
  readonly lines: readonly string[];
}

/** What came of it. */
export interface DifferentialReport {
  readonly byKind: ReadonlyMap<string, Agreement>;
  readonly disagreements: readonly Disagreement[];
}

/** A real server's answers to one question; several where the order of what it says is by chance. */
type Answers = Record<string, readonly Answer[]>;

/** The answers about one kind at a time, in a file of its own. */
class KeptAnswers {
  readonly #folder: string | undefined;
  #kind = "";
  #answers: Answers = {};
  #isChanged = false;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  #file(): string | undefined {
    if (this.#folder === undefined || this.#kind === "") return undefined;
    return `${this.#folder}/${this.#kind.replace(/[ /]/g, "_")}.json`;
  }

  /** Those of `kind`; those of the kind before are written. */
  of(kind: string): Answers {
    if (kind === this.#kind) return this.#answers;
    this.save();
    this.#kind = kind;
    const file = this.#file();
    this.#answers =
      file !== undefined && existsSync(file)
        ? (JSON.parse(readFileSync(file, "utf8")) as Answers)
        : {};
    return this.#answers;
  }

  add(key: string, answers: readonly Answer[]): void {
    this.#answers[key] = answers;
    this.#isChanged = true;
  }

  save(): void {
    const file = this.#file();
    if (file === undefined || !this.#isChanged) return;
    mkdirSync(this.#folder ?? "", { recursive: true });
    writeFileSync(file, JSON.stringify(this.#answers));
    this.#isChanged = false;
  }
}

const AT_ONCE = 8;
/** How often a question is repeated whose answer names several mistakes. */
const REPEATS = 3;

interface Batch {
  readonly object: SentObject;
  readonly place: Place;
  readonly questions: readonly Question[];
}

/** Limits would touch what is asked after them: informers of a real server are a little late. */
const LAST = ["LimitRange", "ResourceQuota", "Namespace", "PriorityClass"];

const kindOf = ({ apiVersion, kind }: SentObject): string => `${apiVersion} ${kind}`;

function batchesOf({ seed, count, only }: DifferentialOptions): Batch[] {
  const resources = builtInResources();
  const own = ownBases();
  const isServed = ({ apiVersion, kind }: SentObject): boolean =>
    resources.some(
      (one) =>
        one.kind === kind &&
        one.verbs.includes("update") &&
        (one.group === "" ? one.version : `${one.group}/${one.version}`) === apiVersion,
    );
  const recorded = recordedBases().filter(isServed);
  const donors = donorsOf([...own, ...recorded]);
  const chosen = count === "all" ? own : [...own, ...someOf(recorded, seed)];
  const wanted = chosen.filter(
    ({ kind, metadata }) => !only || only.test(`${kind}/${metadata.name}`),
  );
  const late = ({ kind }: SentObject): number => LAST.indexOf(kind);
  return wanted
    .toSorted((one, other) => late(one) - late(other) || kindOf(one).localeCompare(kindOf(other)))
    .map((object) => {
      const place = placeOf(object, resources);
      if (count === "all") return { object, place, questions: allQuestions(object, place, donors) };
      const share = chosen.filter((one) => kindOf(one) === kindOf(object)).length;
      const random = randomFor(seed, JSON.stringify(object));
      const some = { random, count: Math.ceil(count / share) };
      return { object, place, questions: someQuestions(object, place, donors, some) };
    });
}

/** Choices that do not depend on what else is asked. */
function randomFor(seed: number, what: string): Random {
  return new Random(createHash("sha1").update(`${seed} ${what}`).digest().readUInt32BE());
}

/** A few recorded objects of each kind. */
function someOf(objects: readonly SentObject[], seed: number): SentObject[] {
  const FEW = 4;
  const kinds = new Set(objects.map(kindOf));
  return [...kinds].flatMap((kind) => {
    const all = objects.filter((object) => kindOf(object) === kind);
    const random = randomFor(seed, kind);
    const some = Array.from({ length: Math.min(FEW, all.length) }, () => random.pick(all));
    return [...new Map(some.map((one) => [one.metadata.name, one])).values()];
  });
}

const keyOf = ({ object }: Batch, { method, path, contentType, body }: Question): string =>
  createHash("sha1")
    .update(JSON.stringify([object, method, path, contentType, body]))
    .digest("base64url")
    .slice(0, 20);

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Puts the questions to one server: creates while the object is not there, the others when it is. */
async function answersOf(
  asker: Asker,
  batch: Batch,
  questions: readonly Question[],
  repeats: number,
): Promise<Map<Question, readonly Answer[]>> {
  const found = new Map<Question, readonly Answer[]>();
  if (questions.length === 0) return found;
  const put = async (some: readonly Question[], version: string): Promise<void> => {
    await eachOf(some, async (question) => {
      const { method, path, contentType } = question;
      const body = JSON.parse(
        JSON.stringify(question.body).replaceAll(
          JSON.stringify(STORED_VERSION),
          JSON.stringify(version),
        ),
      ) as unknown;
      const once = async (): Promise<Answer> =>
        normalise(await asker.ask(method, path, body, contentType), body, version);
      const answers = [await once()];
      const causes = (answers[0]?.body as { details?: { causes?: unknown[] } } | null)?.details
        ?.causes;
      if ((causes?.length ?? 0) > 1) {
        for (let again = 0; again < repeats; again += 1) answers.push(await once());
      }
      found.set(question, answers);
    });
  };
  await put(
    questions.filter(({ operation }) => operation === "create"),
    "",
  );
  const { object, place } = batch;
  const path = `${place.collection}/${encodeURIComponent(object.metadata.name ?? "")}`;
  const created = await asker.ask("POST", place.collection, object);
  const note = (answer: Answer): void => {
    const version = (answer.body as Partial<SentObject>).metadata?.resourceVersion ?? "";
    found.set(storing(object), [normalise(answer, object, version)]);
  };
  note(created);
  if (created.status < 300) {
    let stored = created;
    if (place.hasStatus && "status" in object) {
      const { resourceVersion } = (created.body as SentObject).metadata;
      const withVersion = { ...object, metadata: { ...object.metadata, resourceVersion } };
      await asker.ask("PUT", `${path}/status`, withVersion);
    }
    if (place.hasStatus)
      stored = await settled(asker, path, WATCHED.has(object.kind) ? repeats : 0);
    const { resourceVersion = "" } = (stored.body as SentObject).metadata;
    await put(
      questions.filter(({ operation }) => operation !== "create"),
      resourceVersion,
    );
    await remove(asker, object, path);
  }
  return found;
}

/** Kinds whose status controllers of the real server write soon. */
const WATCHED: ReadonlySet<string> = new Set(["CustomResourceDefinition", "APIService"]);
const SETTLING_MS = 300;

/** The stored object once it stayed the same for a while. */
async function settled(asker: Asker, path: string, tries: number): Promise<Answer> {
  let last = await asker.ask("GET", path);
  for (let again = 0; again < tries; again += 1) {
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    last = await asker.ask("GET", path);
  }
  return last;
}

/** The storing of an object in which the questions are put is compared, too. */
const storing = (object: SentObject): Question => STORING.get(object) ?? remember(object);
const STORING = new WeakMap<SentObject, Question>();
function remember(object: SentObject): Question {
  const question: Question = {
    title: `${object.kind} ${object.metadata.name} stored`,
    operation: "create",
    method: "POST",
    path: "",
    contentType: "",
    body: object,
  };
  STORING.set(object, question);
  return question;
}

async function remove(asker: Asker, object: SentObject, path: string): Promise<void> {
  await asker.ask("DELETE", `${path}?gracePeriodSeconds=0`);
  const finalizers = { metadata: { finalizers: null } };
  await asker.ask("PATCH", path, finalizers, "application/merge-patch+json");
  if (object.kind === "Namespace") {
    const { status, body } = await asker.ask("GET", path);
    if (status === 200)
      await asker.ask("PUT", `${path}/finalize`, { ...(body as object), spec: {} });
  }
}

async function prepare(asker: Asker): Promise<void> {
  await asker.ask("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  await asker.ask("POST", `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
    metadata: { name: "default" },
  });
}

/** The difference to the most similar answer of the real server. */
function closest(
  real: readonly Answer[],
  ours: Answer,
): { answer: Answer; lines: string[] } | undefined {
  const compared = real.map((answer) => ({ answer, lines: differencesBetween(answer, ours) }));
  if (compared.some(({ lines }) => lines.length === 0)) return undefined;
  const [first] = compared;
  const bodies = new Set(real.map(({ body }) => JSON.stringify(body)));
  const isByChance =
    bodies.size > 1 && first?.lines.every((line) => line.startsWith("in another order"));
  return isByChance === true ? undefined : first;
}

/** @throws when a server cannot be reached */
export async function runDifferential(options: DifferentialOptions): Promise<DifferentialReport> {
  const { kubeconfig, answersFolder, onKind } = options;
  const kept = new KeptAnswers(answersFolder);
  const real = kubeconfig === undefined ? undefined : new Asker(kubeconfig);
  const controlPlane = await startControlPlane({ controllers: "off", nodes: 0 });
  const ours = new Asker(controlPlane.kubeconfig);
  const byKind = new Map<string, Agreement>();
  const disagreements: Disagreement[] = [];
  try {
    if (real) await prepare(real);
    await prepare(ours);
    for (const batch of batchesOf(options)) {
      const kind = kindOf(batch.object);
      const expected = kept.of(kind);
      if (real) {
        const open = batch.questions.filter((question) => !expected[keyOf(batch, question)]);
        for (const [question, answers] of await answersOf(real, batch, open, REPEATS)) {
          kept.add(keyOf(batch, question), answers);
        }
      }
      const known = batch.questions.filter((question) => expected[keyOf(batch, question)]);
      let [asked, same] = [0, 0];
      const answered = await answersOf(ours, batch, known, 0);
      for (const [question, [answer]] of answered) {
        const answers = expected[keyOf(batch, question)];
        // Where a real server panics there is nothing to agree with.
        if (!answer || !answers || answers[0]?.status === 0) continue;
        asked += 1;
        const different = closest(answers, answer);
        if (!different) same += 1;
        else
          disagreements.push({
            question,
            real: different.answer,
            ours: answer,
            lines: different.lines,
          });
      }
      const sum = byKind.get(kind) ?? { asked: 0, same: 0 };
      byKind.set(kind, { asked: sum.asked + asked, same: sum.same + same });
      onKind?.(`${kind} ${batch.object.metadata.name}`, { asked, same });
    }
    kept.save();
  } finally {
    real?.close();
    ours.close();
    await controlPlane.stop();
  }
  return { byKind, disagreements };
}
