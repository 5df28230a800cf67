/** Records one reconcile while it runs normally. */
import { messageOf } from "../../errors.ts";
import { copyJson } from "../../kube/json.ts";
import type { Json, KubeObject, ObjectKey } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";
import { StatusError } from "../../kube/status.ts";
import { stringifyExact, parseExact } from "../rest/json/exact-json.ts";
import { RawAnswer } from "../rest/raw-answer.ts";
import type { RestRequest, SendRequest } from "../rest/rest-client.ts";
import { type ListQuestion, type ReconcileTap, servedQuestion } from "../rest/reconcile-tap.ts";
import { askedObject, isConfidential } from "../journal/asked-object.ts";
import { ConnectionError } from "../transport/transport.ts";
import { present } from "../../present.ts";
import {
  findQuestion,
  isOfEvents,
  listQuestion,
  type RecordedAnswer,
  type RecordedRequest,
  type Recording,
} from "./recording.ts";

/** The recorded questions and answers. */
export type Asked = Pick<
  Recording,
  "objects" | "finds" | "lists" | "facts" | "requests" | "notRecorded"
>;

const UNANSWERED: RecordedAnswer = {
  is: "unknown",
  why: "the reconcile ended before the response",
};

export class RecordingTap implements ReconcileTap {
  readonly #places = new Map<KubeObject, number>();
  readonly #finds = new Map<string, (number | null)[]>();
  readonly #lists = new Map<string, number[][]>();
  readonly #facts = new Map<string, Json[]>();
  readonly #requests: { request: Omit<RecordedRequest, "answer">; answer: RecordedAnswer }[] = [];
  readonly #notRecorded = new Set<string>();

  /** The questions so far. */
  get asked(): Asked {
    return {
      objects: [...this.#places.keys()],
      finds: Object.fromEntries(this.#finds),
      lists: Object.fromEntries(this.#lists),
      facts: Object.fromEntries(this.#facts),
      requests: this.#requests.map(({ request, answer }) => ({ ...request, answer })),
      notRecorded: [...this.#notRecorded],
    };
  }

  find<T extends KubeObject>(
    resource: ResourceInfo,
    key: ObjectKey,
    read: () => T | undefined,
  ): T | undefined {
    this.#noteKind(resource);
    const object = read();
    addTo(this.#finds, findQuestion(resource, key), object ? this.#placeOf(object) : null);
    return object;
  }

  list<T extends KubeObject>(resource: ResourceInfo, asked: ListQuestion, read: () => T[]): T[] {
    this.#noteKind(resource);
    const objects = read();
    const places = objects.map((object) => this.#placeOf(object));
    addTo(this.#lists, listQuestion(resource, asked), places);
    return objects;
  }

  fact<T extends Json>(name: string, read: () => T): T {
    const value = read();
    addTo(this.#facts, name, value);
    return value;
  }

  async laterFact<T extends object>(name: string, read: () => Promise<T>): Promise<T> {
    const value = await read();
    addTo(this.#facts, name, copyJson(value) as object as Json);
    return value;
  }

  async request(request: RestRequest, send: SendRequest): Promise<unknown> {
    if (isOfEvents(request)) return send(request);
    const { method, path, query, contentType, body, upgrades } = request;
    if (upgrades) this.#notRecorded.add(`the connection of ${method} ${path}`);
    const text = body === undefined || typeof body === "string" ? body : stringifyExact(body);
    const recorded = {
      request: { method, path, ...present({ query, contentType, body: text }) },
      answer: UNANSWERED,
    };
    this.#requests.push(recorded);
    try {
      const answer = await send(request);
      recorded.answer = upgrades
        ? { is: "unknown", why: "it is a connection" }
        : recordedAnswer(request, answer);
      return answer;
    } catch (error) {
      recorded.answer = recordedError(error);
      throw error;
    }
  }

  /** Fixed code may write an object of the kind in the replay. */
  #noteKind(resource: ResourceInfo): void {
    const { group, version, kind, plural, namespaced } = resource;
    const question = servedQuestion(apiVersionOf(resource), kind);
    if (this.#facts.has(question)) return;
    this.#facts.set(question, [{ group, version, kind, plural, namespaced }]);
  }

  /** Objects of the cache are frozen, and the same object appears as long as it does not change. */
  #placeOf(object: KubeObject): number {
    const known = this.#places.get(object);
    if (known !== undefined) return known;
    this.#places.set(object, this.#places.size);
    return this.#places.size - 1;
  }
}

function addTo<T>(answers: Map<string, T[]>, question: string, answer: T): void {
  const known = answers.get(question);
  if (known) known.push(answer);
  else answers.set(question, [answer]);
}

function recordedAnswer(request: RestRequest, answer: unknown): RecordedAnswer {
  const asked = askedObject(request.path);
  // The values of Secrets are removed from the whole recording; a token is not recorded at all.
  const isSecret = asked?.resource === "secrets" && asked.subresource === undefined;
  if (asked && isConfidential(asked) && !isSecret) {
    return { is: "unknown", why: "it is a token, which is not recorded" };
  }
  if (answer instanceof RawAnswer) {
    const { status, headers, body } = answer;
    return { is: "raw", status, headers, base64: body.toString("base64") };
  }
  // The caller may change the answer.
  return { is: "answer", value: parseExact(stringifyExact(answer ?? null)) };
}

function recordedError(error: unknown): RecordedAnswer {
  if (error instanceof StatusError) return { is: "status", status: error.status };
  if (error instanceof ConnectionError) {
    return { is: "connection", failure: error.failure, message: error.message };
  }
  return { is: "error", message: messageOf(error) };
}
