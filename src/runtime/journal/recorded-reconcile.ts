/** The record of one reconcile, for the journal. */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import { present } from "../../present.ts";
import type { RestRequest } from "../rest/rest-client.ts";
import type {
  ObservedReconcile,
  ObservedStart,
  ReconcileNotes,
  RequestNote,
} from "../controller/reconcile-observer.ts";
import { askedObject, isConfidential, verbOf, type AskedObject } from "./asked-object.ts";
import type {
  JournalCause,
  JournalEntry,
  JournalError,
  JournalObject,
  JournalRead,
  JournalWrite,
} from "./entry.ts";
import { journalError } from "./error-place.ts";
import { fieldChanges } from "./field-changes.ts";
import type { KnownObjects } from "./known-objects.ts";

const MOST_READS = 50;
const MOST_WRITES = 50;
const IGNORED: RequestNote = { answered: () => undefined, failed: () => undefined };

export interface Recorder {
  readonly clock: Clock;
  readonly known: KnownObjects;
  /** Takes the entry when the reconcile has ended. */
  readonly ended: (entry: Omit<JournalEntry, "number">) => void;
}

export class RecordedReconcile implements ObservedReconcile, ReconcileNotes {
  readonly #start: ObservedStart;
  readonly #recorder: Recorder;
  readonly #causes: readonly JournalCause[];
  readonly #beganMs: number;
  readonly #reads = new Map<string, JournalRead>();
  readonly #writes: JournalWrite[] = [];
  #leftOut = 0;
  #requeueAfterMs: number | undefined;
  #error: JournalError | undefined;
  #hasEnded = false;

  constructor(start: ObservedStart, causes: readonly JournalCause[], recorder: Recorder) {
    this.#start = start;
    this.#causes = causes;
    this.#recorder = recorder;
    this.#beganMs = recorder.clock.monotonicMs();
  }

  get notes(): this {
    return this;
  }

  run<T>(work: () => T): T {
    return work();
  }

  succeeded(requeueAfterMs: number | undefined): void {
    this.#requeueAfterMs = requeueAfterMs;
  }

  failed(error: unknown): void {
    this.#error = journalError(error);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { controller, kind, resource, key, id, nowMs, failures, queueDepth } = this.#start;
    const slash = key.indexOf("/");
    this.#recorder.ended({
      id,
      controller,
      ...present({ kind, resource }),
      ...(slash > 0 && { namespace: key.slice(0, slash) }),
      name: key.slice(slash + 1),
      atMs: nowMs,
      durationMs: this.#sinceMs(),
      causes: this.#causes,
      failures,
      queueDepth,
      reads: [...this.#reads.values()],
      writes: this.#writes,
      ...(this.#leftOut > 0 && { leftOut: this.#leftOut }),
      outcome: this.#error
        ? "error"
        : this.#requeueAfterMs === undefined
          ? "success"
          : "requeue_after",
      ...present({ requeueAfterMs: this.#requeueAfterMs, error: this.#error }),
    });
  }

  readCached(resource: ResourceInfo, key: Partial<ObjectKey> | undefined, found: number): void {
    const { kind } = resource;
    const { namespace, name } = key ?? {};
    this.#read("cache", { kind, ...objectOf(groupResourceOf(resource), namespace, name) }, found);
  }

  request(request: RestRequest): RequestNote {
    const asked = askedObject(request.path);
    if (!asked || this.#hasEnded) return IGNORED;
    return request.method === "GET" && !request.upgrades
      ? this.#noteRead(asked)
      : this.#noteWrite(request, asked);
  }

  #noteRead(asked: AskedObject): RequestNote {
    const { known } = this.#recorder;
    const object = objectOf(asked.resource, asked.namespace, asked.name);
    const kind = known.kindOf(asked.resource);
    return {
      answered: (answer) => {
        known.note(asked, answer);
        const items = isJsonObject(answer) ? answer["items"] : undefined;
        const seen = kind ?? known.kindOf(asked.resource);
        const found = Array.isArray(items) ? items.length : 1;
        this.#read("server", { ...(seen !== undefined && { kind: seen }), ...object }, found);
      },
      failed: () => {
        this.#read("server", { ...(kind !== undefined && { kind }), ...object }, 0);
      },
    };
  }

  #noteWrite(request: RestRequest, asked: AskedObject): RequestNote {
    const { known, clock } = this.#recorder;
    const afterMs = this.#sinceMs();
    const sentMs = clock.monotonicMs();
    const verb = verbOf(request, asked);
    const before = known.find(asked);
    const dryRun = request.query?.["dryRun"] !== undefined;
    const written = (rest: Partial<JournalWrite>, answer?: unknown): void => {
      if (this.#writes.length >= MOST_WRITES) {
        this.#leftOut++;
        return;
      }
      this.#writes.push({
        verb,
        object: writtenObject(asked, answer ?? request.body, known.kindOf(asked.resource)),
        ...(asked.subresource !== undefined && { subresource: asked.subresource }),
        afterMs,
        durationMs: Math.round(clock.monotonicMs() - sentMs),
        ...(dryRun && { dryRun }),
        ...rest,
      });
    };
    return {
      answered: (answer) => {
        if (!dryRun) known.note(asked, answer, this.#start.id);
        written(changesOf({ request, asked, before, answer }), answer);
      },
      failed: (error) => {
        written({ error: isConfidential(asked) ? "(hidden)" : messageOf(error) });
      },
    };
  }

  #read(from: JournalRead["from"], object: JournalObject, found: number): void {
    const id = `${from} ${object.resource} ${object.namespace ?? ""}/${object.name ?? ""}`;
    const times = (this.#reads.get(id)?.times ?? 0) + 1;
    if (times === 1 && this.#reads.size >= MOST_READS) this.#leftOut++;
    else this.#reads.set(id, { from, object, found, times });
  }

  #sinceMs(): number {
    return Math.round((this.#recorder.clock.monotonicMs() - this.#beganMs) * 10) / 10;
  }
}

function objectOf(
  resource: string,
  namespace: string | undefined,
  name: string | undefined,
): JournalObject {
  return {
    resource,
    ...present({ namespace: namespace || undefined, name }),
  };
}

/** The written object, with the name and the version from the server. */
function writtenObject(
  { resource, namespace, name }: AskedObject,
  content: unknown,
  known: string | undefined,
): JournalObject {
  const { kind, metadata } = (isJsonObject(content) ? content : {}) as Partial<KubeObject>;
  // The answer to a deletion is a Status where nothing of the object is left.
  const isObject = kind !== undefined && kind !== "Status" && kind !== "DeleteOptions";
  const shown = isObject ? kind : known;
  const version = isObject ? metadata?.resourceVersion : undefined;
  return {
    ...(shown !== undefined && { kind: shown }),
    ...objectOf(resource, namespace, name ?? metadata?.name),
    ...(version !== undefined && { resourceVersion: version }),
  };
}

interface Written {
  readonly request: RestRequest;
  readonly asked: AskedObject;
  readonly before: KubeObject | undefined;
  readonly answer: unknown;
}

function changesOf({ request, asked, before, answer }: Written): Partial<JournalWrite> {
  const isSecret = isConfidential(asked);
  if (request.method === "DELETE" || request.upgrades || request.raw) return {};
  if (!isJsonObject(answer) || answer["kind"] === "Status") return {};
  const { metadata } = answer as Partial<KubeObject>;
  // Another object of that name may have been there meanwhile, or be in another cluster.
  if (before && before.metadata.uid === metadata?.uid) {
    if (before.metadata.resourceVersion === metadata.resourceVersion) return { unchanged: true };
    return fieldChanges(before, answer, isSecret);
  }
  if (request.method === "POST") return fieldChanges(undefined, answer, isSecret);
  // A JSON patch has operations, not fields.
  const sent = Array.isArray(request.body) ? undefined : request.body;
  return { ...fieldChanges(undefined, sent, isSecret), sentOnly: true };
}
