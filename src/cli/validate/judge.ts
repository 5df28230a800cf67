/** The answers of an API server to each of some manifests. */
import { didYouMean } from "../../kube/text/nearest-name.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Manifest } from "../doctor/rule.ts";
import { present } from "../../present.ts";
import { listAt, pathOf, textAt } from "../doctor/values.ts";
import { JudgingServer, statusOf, type ServerAnswer } from "./judging-server.ts";

/** A reason against an object. */
interface Cause {
  /** The field as the API server writes it, such as `spec.containers[0].image`; absent where it names none. */
  readonly field?: string;
  readonly message: string;
  readonly place: string;
}

/** The answer of the API server to one object. */
export interface Judgement {
  readonly manifest: Manifest;
  readonly accepted: boolean;
  /** The reason of the Status, such as `Invalid`; absent where the object is accepted. */
  readonly reason?: string;
  readonly causes: readonly Cause[];
  readonly warnings: readonly string[];
  /** The object as it would be stored: with all defaults; absent where it is refused, and where a webhook converts it. */
  readonly stored?: JsonObject;
}

/** The manifests to judge, and the state to take for granted. */
export interface Question {
  readonly manifests: readonly Manifest[];
  /** CRDs that the cluster would have beside those among the manifests. */
  readonly definitions: readonly JsonObject[];
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

const CRD = "CustomResourceDefinition";

/** The kinds, as `GROUP/KIND`, that a webhook converts. */
class ConvertedKinds {
  readonly #definitions = new Map<string, JsonObject>();

  constructor(definitions: readonly JsonObject[]) {
    for (const definition of definitions) {
      if (textAt(definition, ["spec", "conversion", "strategy"]) !== "Webhook") continue;
      const group = textAt(definition, ["spec", "group"]);
      const kind = textAt(definition, ["spec", "names", "kind"]);
      this.#definitions.set(`${group}/${kind}`, definition);
    }
  }

  /** The judgement, with a warning and without the stored form where only the webhook could make that. */
  unconverted({ stored, ...judgement }: Judgement): Judgement {
    const { apiVersion, kind } = judgement.manifest;
    const [group = "", version = ""] = apiVersion.split("/");
    const definition = this.#definitions.get(`${group}/${kind}`);
    const isStored = listAt(definition, ["spec", "versions"])
      .filter(isJsonObject)
      .some((one) => one["storage"] === true && one["name"] === version);
    if (!definition || isStored) return { ...judgement, ...present({ stored }) };
    const name = textAt(definition, ["metadata", "name"]);
    const warning = `the conversion webhook of ${name} was not called: the object was checked in version ${version} only`;
    return { ...judgement, warnings: [...judgement.warnings, warning] };
  }
}
/** The kinds that others need, in the order in which they are made; all else is judged and not kept. */
const KEPT = [
  "Namespace",
  CRD,
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "IngressClass",
  "ServiceAccount",
];
const rank = ({ kind }: Manifest): number => {
  const index = KEPT.indexOf(kind);
  return index < 0 ? KEPT.length : index;
};

/** The answers, in the order of the manifests. */
export async function judge({ manifests, definitions, namespace }: Question): Promise<Judgement[]> {
  await using server = await JudgingServer.start();
  const given = new Set(manifests.filter(({ kind }) => kind === CRD).map(({ name }) => name));
  for (const definition of definitions) {
    if (given.has(textAt(definition, ["metadata", "name"]))) continue;
    const kind = await server.kind("apiextensions.k8s.io/v1", CRD);
    if (kind) await server.send(kind.collection(""), definition, { keep: true });
  }
  await server.settle();
  const own = manifests.filter(({ kind }) => kind === CRD).map(({ value }) => value);
  const converted = new ConvertedKinds([...definitions, ...own]);
  const inOrder = manifests
    .map((manifest, index) => ({ manifest, index }))
    .sort((one, other) => rank(one.manifest) - rank(other.manifest) || one.index - other.index);
  const judgements: Judgement[] = [];
  let isReady = false;
  for (const { manifest, index } of inOrder) {
    if (!isReady && rank(manifest) > KEPT.indexOf(CRD)) {
      await assumeNamespaces(server, manifests, namespace);
      await server.settle();
      isReady = true;
    }
    const judgement = await judgeOne(server, manifest, namespace);
    judgements[index] = converted.unconverted(judgement);
  }
  return judgements;
}

/** Makes the namespaces of the objects, each with the account that pods have there. */
async function assumeNamespaces(
  server: JudgingServer,
  manifests: readonly Manifest[],
  namespace: string,
): Promise<void> {
  const made = manifests.filter(({ kind }) => kind === "Namespace").map(({ name }) => name);
  const used = manifests.map((one) => one.namespace).filter((name) => name !== "");
  for (const name of new Set([namespace, ...used, ...made])) {
    const about = { apiVersion: "v1", metadata: { name } };
    await server.send("/api/v1/namespaces", { ...about, kind: "Namespace" }, { keep: true });
    const accounts = `/api/v1/namespaces/${encodeURIComponent(name)}/serviceaccounts`;
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await server.send(accounts, account, { keep: true });
  }
}

async function judgeOne(
  server: JudgingServer,
  manifest: Manifest,
  namespace: string,
): Promise<Judgement> {
  const { apiVersion, kind, value } = manifest;
  const served = await server.kind(apiVersion, kind);
  if (!served) {
    const message = `no matches for kind "${kind}" in version "${apiVersion}"`;
    const causes = [{ message, place: manifest.at(["kind"]) }];
    return { manifest, accepted: false, reason: "NotFound", causes, warnings: [] };
  }
  const where = served.namespaced ? manifest.namespace || namespace : "";
  const collection = served.collection(where);
  const answer = await server.send(collection, value, { keep: KEPT.includes(kind) });
  const { accepted, warnings, body } = answer;
  if (accepted) return { manifest, accepted, causes: [], warnings, stored: body };
  const causes = await causesOf(server, manifest, answer);
  if (causes.some(({ field }) => field === undefined) || !isDecodingError(answer)) {
    return { manifest, accepted, reason: statusOf(answer).reason ?? "", causes, warnings };
  }
  // The server stops at fields that it does not know; without them, it says what else is wrong.
  const rest = await server.send(collection, value, { keep: KEPT.includes(kind), lenient: true });
  const more = rest.accepted ? [] : await causesOf(server, manifest, rest);
  return {
    manifest,
    accepted,
    reason: statusOf(answer).reason ?? "",
    causes: [...causes, ...more],
    warnings: [...new Set([...warnings, ...rest.warnings])],
  };
}

const DECODING = "strict decoding error: ";
const isDecodingError = (answer: ServerAnswer): boolean =>
  (statusOf(answer).message ?? "").includes(DECODING);

async function causesOf(
  server: JudgingServer,
  manifest: Manifest,
  answer: ServerAnswer,
): Promise<Cause[]> {
  const { message = "", details } = statusOf(answer);
  if (message.includes(DECODING)) {
    const list = message.slice(message.indexOf(DECODING) + DECODING.length);
    return Promise.all(
      [...list.matchAll(/(unknown|duplicate) field "([^"]+)"/g)].map(
        async ([said, what, field = ""]) => ({
          field,
          message: what === "unknown" ? await unknownField(server, manifest, field) : said,
          place: manifest.at(pathOf(field)),
        }),
      ),
    );
  }
  const causes = listAt(details, ["causes"]).filter((cause) => textAt(cause, ["message"]) !== "");
  if (causes.length === 0) return [{ message, place: manifest.at([]) }];
  return causes.map((cause) => {
    const field = textAt(cause, ["field"]);
    const isNamed = field !== "" && field !== "<nil>";
    return {
      ...(isNamed && { field }),
      message: textAt(cause, ["message"]),
      place: manifest.at(isNamed ? pathOf(field) : []),
    };
  });
}

async function unknownField(
  server: JudgingServer,
  manifest: Manifest,
  field: string,
): Promise<string> {
  const path = pathOf(field);
  const known = await server.fieldsAt(manifest, path.slice(0, -1));
  const others = known.length === 0 ? "" : `There are ${known.slice(0, 8).join(", ")}.`;
  return `unknown field. ${didYouMean(String(path.at(-1)), known, others)}`.trim();
}
