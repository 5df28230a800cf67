/**
 * Remembers the last writes of this process to each object, to tell who fights with whom: two of its
 * own reconciles, one of them and another field manager, or somebody who is unknown. Bodies are kept
 * for objects only that are written again and again, and only names of fields get out of here.
 */
import { hash } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { metadataType } from "../rest/metadata-only.ts";
import type { RestRequest, SendRequest } from "../rest/rest-client.ts";
import { listed } from "../listed.ts";
import { LruMap } from "../lru.ts";
import { KeptBodies } from "./kept-bodies.ts";
import { fieldsOf, foreignWriters, timeOfWrite, type ForeignWriter } from "./written-fields.ts";

/** A write that changed something, without its values. */
export interface Change {
  /** The same for writes of the same content. */
  readonly digest: string;
  /** The place of the object, also of one that was created or deleted. */
  readonly place: string;
  readonly target: WriteTarget;
}

/** The object of a write, for people. */
interface WriteTarget {
  readonly method: string;
  /** `ConfigMap d/web`, with its subresource. */
  readonly object: string;
}

/** The reconcile that wrote. */
interface Writer {
  readonly controller: string;
  readonly key: string;
}

interface OwnWrite {
  readonly by: Writer;
  readonly digest: string;
  readonly method: string;
  /** Whether fields that are not in the body are removed: of an update, and of an apply. */
  readonly isWhole: boolean;
  readonly atMs: number;
  /** Only of an object that is written again and again, for as long as there is room for it. */
  body?: unknown;
  /** Who had written the object before it, as far as that was looked up. */
  readonly before?: WritersBefore | undefined;
}

/** Who wrote an object, right before this process writes it. */
export interface WritersBefore {
  readonly foreign: readonly ForeignWriter[];
  /** Whether nobody had written since the last write of this process. */
  readonly isOurs: boolean;
}

interface History {
  readonly writes: OwnWrite[];
  /** Whether the same content was written again and again. */
  isRepeated: boolean;
  /** When the server stored the last of them, of an object that is written again and again. */
  storedAt?: string | undefined;
}

/** What is known about a write. */
export interface NotedWrite {
  readonly by: Writer;
  readonly request: RestRequest;
  readonly content: string;
  readonly answer: unknown;
  readonly before: WritersBefore | undefined;
}

/** Who undoes a write, as far as that is known. */
export interface Fight {
  /** A sentence without its period. */
  readonly text: string;
  /** The fields that are written, or that differ. */
  readonly fields: readonly string[];
}

const PLACES = 1000;
const WINDOW_MS = 120_000;
const MOST_WRITES = 16;
// From so many writes on within the window, bodies are kept.
const SUSPECT_WRITES = 4;
// From so many writes of the same content on, other writers are looked for.
const REPEATED_WRITES = 4;

export class OwnWrites {
  readonly #clock: Clock;
  readonly #histories = new LruMap<History>(PLACES);
  readonly #bodies = new KeptBodies(WINDOW_MS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a write that changed something. */
  note({ by, request, content, answer, before }: NotedWrite): Change {
    const { method, body, contentType } = request;
    const target = targetOf(request);
    const place = placeOf(request);
    const digest = hash("sha1", `${method} ${place} ${content}`, "base64");
    const atMs = this.#clock.monotonicMs();
    const history = this.#histories.get(place) ?? { writes: [], isRepeated: false };
    const { writes } = history;
    while (writes[0] && (writes[0].atMs < atMs - WINDOW_MS || writes.length >= MOST_WRITES)) {
      this.#bodies.drop(writes[0]);
      writes.shift();
    }
    const keepsBody = writes.length >= SUSPECT_WRITES;
    const { controller, key } = by;
    const write: OwnWrite = {
      by: { controller, key },
      digest,
      method,
      isWhole: method === "PUT" || contentType?.includes("apply-patch") === true,
      atMs,
      before,
    };
    writes.push(write);
    if (keepsBody) this.#bodies.keep(write, body, content.length);
    history.isRepeated = writes.filter((one) => one.digest === digest).length >= REPEATED_WRITES;
    if (history.isRepeated) {
      history.storedAt = timeOfWrite(metadataOf(answer)?.["managedFields"], managerOf(request));
    }
    this.#histories.set(place, history);
    return { digest, place, target };
  }

  /**
   * Looks who else wrote an object, right before it is written once more. Only for one that gets the
   * same content again and again; `undefined` where that cannot be read.
   */
  async look(
    request: RestRequest,
    version: string | undefined,
    send: SendRequest,
  ): Promise<WritersBefore | undefined> {
    const history = this.#histories.get(placeOf(request));
    if (history?.isRepeated !== true || request.method === "POST") return undefined;
    const { path, signal, body } = request;
    try {
      const answer = await send({ method: "GET", path, accept: metadataType(false), signal });
      const metadata = metadataOf(answer);
      if (!metadata) return undefined;
      const { managedFields } = metadata;
      const { storedAt } = history;
      const isKnown = storedAt !== undefined;
      return {
        foreign: isKnown
          ? foreignWriters(managedFields, managerOf(request), fieldsOf(body), storedAt)
          : [],
        isOurs: metadata["resourceVersion"] === version,
      };
    } catch {
      // The operator need not be allowed to read what it writes: the writer is told as unknown then.
      return undefined;
    }
  }

  /** Who undoes this change, which is made again and again. */
  fightOf({ place, digest }: Change): Fight {
    const history = this.#histories.get(place);
    const writes = history?.writes ?? [];
    const same = writes.filter((one) => one.digest === digest);
    const last = same.at(-1);
    const others = writes.filter((one) => one.digest !== digest && last && undoes(one, last));
    if (others.length > 0) {
      return { text: ownFight([...same, ...others]), fields: differing(same, others) };
    }
    const fields = fieldsOf(last?.body);
    const before = same.findLast((one) => one.before !== undefined)?.before;
    const [foreign] = before?.foreign ?? [];
    if (before && foreign && !before.isOurs) {
      const text = foreignFight(before.foreign);
      return { text, fields: foreign.fields.length > 0 ? foreign.fields : fields };
    }
    if (before?.isOurs) {
      const text =
        "nobody else wrote the object in between, so the API server or a mutating webhook changes it with each write";
      return { text, fields };
    }
    return { text: "who undoes it is unknown", fields };
  }

  /** The fields whose values differ from one write to the next. */
  varying({ place }: Change): readonly string[] {
    const writes = (this.#histories.get(place)?.writes ?? []).filter(
      ({ body }) => body !== undefined,
    );
    const last = writes.at(-1);
    return last ? differing([last], writes.slice(0, -1)) : [];
  }
}

/** Whether a write changes back what another one wrote; a patch of other fields does not. */
function undoes(one: OwnWrite, other: OwnWrite): boolean {
  if (one.method === "DELETE" || other.method === "DELETE") return true;
  if (one.body === undefined || other.body === undefined) return true;
  if (one.isWhole && other.isWhole) return true;
  return fieldsOf(one.body, other.body, { inBoth: true }).length > 0;
}

/** How reconciles of this process undo each other. */
function ownFight(writes: readonly OwnWrite[]): string {
  const named = (one: OwnWrite): string => `${one.by.controller} (${one.by.key})`;
  const writers = [...new Set(writes.map(named))];
  const controllers = new Set(writes.map(({ by }) => by.controller));
  const deletes = writes.some(({ method }) => method === "DELETE");
  const how = deletes ? "creates and deletes it in turn" : "writes different values in turn";
  if (writers.length === 1) return `its own reconcile ${how}`;
  const who = controllers.size > 1 ? "controllers" : "objects";
  return `this operator's own writes undo each other: the ${who} ${listed(writers, 3, " and ")}`;
}

function foreignFight(writers: readonly ForeignWriter[]): string {
  const shown = writers
    .slice(0, 3)
    .map(({ manager, operation, time }) => `${manager} (${operation}, ${time})`);
  return `the field ${shown.length > 1 ? "managers" : "manager"} ${shown.join(" and ")} changed the object in between`;
}

/** The fields in which two groups of writes differ; those of either where one has no body. */
function differing(some: readonly OwnWrite[], others: readonly OwnWrite[]): readonly string[] {
  const body = some.findLast((one) => one.body !== undefined)?.body;
  const other = others.findLast((one) => one.body !== undefined)?.body;
  if (body === undefined || other === undefined) return fieldsOf(body ?? other);
  return fieldsOf(body, other);
}

const PATH =
  /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/;

/** The path of the object; of a request that creates one, too. */
function placeOf({ method, path, body }: RestRequest): string {
  const name = method === "POST" ? nameOf(body) : undefined;
  return name === undefined ? path : `${path}/${name}`;
}

function targetOf({ method, path, body }: RestRequest): WriteTarget {
  const [, namespace, plural = "", named, subresource] = PATH.exec(path) ?? [];
  const kind = isJsonObject(body) && typeof body["kind"] === "string" ? body["kind"] : plural;
  const name = named ?? nameOf(body) ?? "";
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return {
    method,
    object: `${kind} ${key}${subresource === undefined ? "" : ` (${subresource})`}`,
  };
}

function metadataOf(object: unknown): JsonObject | undefined {
  const metadata = isJsonObject(object) ? object["metadata"] : undefined;
  return isJsonObject(metadata) ? metadata : undefined;
}

function managerOf({ query }: RestRequest): string {
  const manager = query?.["fieldManager"];
  return typeof manager === "string" ? manager : "";
}

function nameOf(body: unknown): string | undefined {
  const name = metadataOf(body)?.["name"];
  return typeof name === "string" ? name : undefined;
}
