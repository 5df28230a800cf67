/** Answers a reconcile from a recording, and notes the differences. */
import { TsopError } from "../../errors.ts";
import { getField, copyJson } from "../../kube/json.ts";
import type { Json, KubeObject, ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { StatusError } from "../../kube/status.ts";
import { stringifyExact } from "../rest/json/exact-json.ts";
import { RawAnswer } from "../rest/raw-answer.ts";
import type { RestRequest } from "../rest/rest-client.ts";
import type { ListQuestion, ReconcileTap } from "../rest/reconcile-tap.ts";
import { ConnectionError } from "../transport/transport.ts";
import { comparableBody } from "./hide-secrets.ts";
import {
  findQuestion,
  isOfEvents,
  isWrite,
  listQuestion,
  requestQuestion,
  type RecordedAnswer,
  type RecordedRequest,
  type Recording,
} from "./recording.ts";

/** A write of a replay, beside the recorded one. */
export interface ReplayedWrite {
  /** The question of the request: `PATCH /api/v1/namespaces/default/configmaps/web?force=true`. */
  readonly request: string;
  /** The bytes that were sent in the recording; absent when it was not sent there. */
  readonly recorded?: string;
  /** The bytes that the replay sends; absent when it does not send it. */
  readonly replayed?: string;
  readonly isSame: boolean;
}

export class ReplayTap implements ReconcileTap {
  readonly #recording: Recording;
  /** How often each question was asked. */
  readonly #asked = new Map<string, number>();
  readonly #writes: ReplayedWrite[] = [];
  readonly #unknown: string[] = [];

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** The writes of the replay, and the recorded ones that it did not send. */
  get writes(): ReplayedWrite[] {
    const left = this.#recording.requests.filter(isWrite).filter((request) => {
      const question = requestQuestion(request);
      const count = this.#asked.get(question) ?? 0;
      const all = this.#recording.requests.filter((one) => requestQuestion(one) === question);
      return all.indexOf(request) >= count;
    });
    const notSent = left.map((request) => ({
      request: requestQuestion(request),
      recorded: request.body ?? "",
      isSame: false,
    }));
    return [...this.#writes, ...notSent];
  }

  /** The questions without a recorded answer, in words. */
  get unknown(): readonly string[] {
    return this.#unknown;
  }

  // The interface says what `T` is for.
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  find<T extends KubeObject>(resource: ResourceInfo, key: ObjectKey): T | undefined {
    const question = findQuestion(resource, key);
    const place = this.#next(`read of ${question} from the cache`, this.#recording.finds, question);
    return place === null ? undefined : (this.#objectAt(place) as T);
  }

  list<T extends KubeObject>(resource: ResourceInfo, asked: ListQuestion): T[] {
    const question = listQuestion(resource, asked);
    const places = this.#next(
      `list of ${question} from the cache`,
      this.#recording.lists,
      question,
    );
    // The question names the kind, and the recorded reconcile asked it for a `T`.
    return places.map((place) => this.#objectAt(place) as T);
  }

  fact<T extends Json>(name: string, read: () => T): T {
    const known = this.#recording.facts[name];
    // Changed code asks a question that the recording lacks: the answer of this machine is good
    // enough.
    if (!known) return read();
    return this.#next(name, this.#recording.facts, name) as T;
  }

  async laterFact<T extends object>(name: string, read: () => Promise<T>): Promise<T> {
    if (!this.#recording.facts[name]) return read();
    return this.#next(name, this.#recording.facts, name) as object as T;
  }

  // A promise, like the answer to a request that is sent.

  async request(request: RestRequest): Promise<unknown> {
    if (isOfEvents(request)) return copyOf(request.body);
    const question = requestQuestion(request);
    const count = this.#count(question);
    const same = this.#recording.requests.filter((one) => requestQuestion(one) === question);
    const recorded = same[count];
    const isSame = !isWrite(request) || this.#noteWrite(question, request, recorded);
    if (!recorded) throw this.#notRecorded(question, same.length);
    const failure = isSame ? undefined : failureIn(recorded.answer);
    if (failure !== undefined) {
      throw this.#noAnswer(
        `${question} was sent with another body when the reconcile was recorded, and failed: ${failure}`,
      );
    }
    return answerOf(recorded.answer, question);
  }

  /** Notes a write; returns whether its body is the recorded one. */
  #noteWrite(
    question: string,
    { path, body }: RestRequest,
    recorded: RecordedRequest | undefined,
  ): boolean {
    const replayed =
      body === undefined ? "" : typeof body === "string" ? body : stringifyExact(body);
    const isSame =
      recorded !== undefined &&
      comparableBody(recorded) === comparableBody({ path, body: replayed });
    this.#writes.push({
      request: question,
      ...(recorded && { recorded: recorded.body ?? "" }),
      replayed,
      isSame,
    });
    return isSame;
  }

  /**
   * The recorded answer to a question, by how often it was asked before; the last answer stays
   * valid from then on.
   */
  #next<T>(what: string, answers: Readonly<Record<string, readonly T[]>>, question: string): T {
    const known = getField(answers, question);
    if (!known) throw this.#notRecorded(what, 0);
    const answer = known[Math.min(this.#count(what), known.length - 1)];
    if (answer === undefined) throw this.#notRecorded(what, 0);
    return answer;
  }

  /** How often the question was asked before; counts this one. */
  #count(question: string): number {
    const count = this.#asked.get(question) ?? 0;
    this.#asked.set(question, count + 1);
    return count;
  }

  #objectAt(place: number): KubeObject {
    const object = this.#recording.objects[place];
    if (!object) throw this.#notRecorded(`object ${place}`, 0);
    return object;
  }

  #notRecorded(what: string, times: number): TsopError {
    const how =
      times === 0 ? "was not made" : `was made ${times === 1 ? "once" : `${times} times`}`;
    return this.#noAnswer(`${what} ${how} when the reconcile was recorded`);
  }

  #noAnswer(text: string): TsopError {
    this.#unknown.push(text);
    return new TsopError(
      "not-recorded",
      `The replay has no answer: ${text}.`,
      "The code has changed, or it depends on state that is not recorded, such as its own memory, Date.now(), Math.random(), other servers.",
    );
  }
}

/** The words of a recorded failure; it says nothing about a request with another body. */
function failureIn(answer: RecordedAnswer): string | undefined {
  switch (answer.is) {
    case "status":
      return answer.status.message ?? answer.status.reason ?? `status ${answer.status.code}`;
    case "connection":
    case "error":
      return answer.message;
    case "raw":
      return answer.status >= 400 ? `status ${answer.status}` : undefined;
    case "answer":
    case "unknown":
      return undefined;
  }
}

function answerOf(answer: RecordedAnswer, question: string): unknown {
  switch (answer.is) {
    case "answer":
      return copyOf(answer.value);
    case "raw":
      return new RawAnswer(answer.status, answer.headers, Buffer.from(answer.base64, "base64"));
    case "status":
      throw new StatusError(answer.status);
    case "connection":
      throw new ConnectionError(answer.failure, "the recorded server", answer.message);
    case "error":
      throw new Error(answer.message);
    case "unknown":
      throw new TsopError(
        "not-recorded",
        `The replay has no answer to ${question}: ${answer.why}.`,
        "Debug this part against the running operator.",
      );
  }
}

/** The caller may change the answer. */
const copyOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? copyJson(value) : value;
