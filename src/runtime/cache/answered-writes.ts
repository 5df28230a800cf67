/**
 * The writes of this process that the server answered, so that the same write is not sent again while the object is as
 * answered. The server decides what a write means: it defaults, converts, normalizes and drops fields, so an object may
 * differ from what was written and still be what another write would give.
 *
 * Neither objects nor requests are kept, only digests of them, with a key of this process: values of Secrets can be
 * neither read from them nor tried out.
 */
import { createHmac, randomBytes } from "node:crypto";
import { canonicalJson } from "../../kube/canonical-json.ts";
import { encodeJson } from "../../kube/json.ts";
import { formatKey, keyOf, type KubeObject } from "../../kube/object.ts";
import { LruMap } from "../lru.ts";
import { contentOf, isShownBy, ownedFields, ownedPart, type Applier } from "./owned-part.ts";
import { isOlder } from "./resource-version.ts";

const MOST_OBJECTS = 50_000;
// Few: the verbs of each field manager.
const MOST_WRITERS = 1000;
const DIGEST_BYTES = 16;
const NOT_COMPARABLE = "";

/** A write that has the same result each time. */
export interface RepeatableWrite {
  /** The verb and the subresource: `apply`, `patch status`. Of each, and each field manager, the last one is remembered. */
  readonly verb: string;
  readonly fieldManager: string;
  /** Everything that decides the result, except for the object. */
  readonly request: object;
  /** For an apply: the owner of the fields. Else, and where it owns nothing, `partOf` decides. */
  readonly applier?: Applier | undefined;
  /** For an apply: the fields. */
  readonly intent?: object;
  /** The part of an object that the write is about, as a JSON value: an equal part would be written again as it is. */
  readonly partOf: (object: KubeObject) => unknown;
}

/** Who writes, and how: kept once for all objects. */
interface Writer {
  readonly id: string;
  readonly applier: Applier | undefined;
}

interface Answer {
  readonly writer: Writer;
  readonly request: string;
  readonly uid: string | undefined;
  /** The version of the answer. */
  readonly version: string | undefined;
  /** The digest of the part that the write is about. */
  readonly part: string;
  /** Whether the writer owns the part's fields; `whole` if they do not show all that the write led to. */
  readonly isOwned: boolean | "whole";
  /** A later state of the object. */
  seen?: { readonly version: string | undefined; readonly part: string } | undefined;
}

export class AnsweredWrites {
  readonly #answers = new LruMap<readonly Answer[]>(MOST_OBJECTS);
  readonly #writers = new LruMap<Writer>(MOST_WRITERS);
  readonly #key = randomBytes(32);
  #isEmpty = true;

  /** Remembers the answer to a write. */
  remember(write: RepeatableWrite, object: KubeObject): void {
    const { uid, resourceVersion: version, managedFields } = object.metadata;
    const id = idOf(object, object);
    const known = this.#answers.get(id) ?? [];
    const writer = this.#writerOf(write);
    const { applier, intent } = write;
    const fields = applier && ownedFields(managedFields, applier);
    const isOwned = fields && intent && !isShownBy(fields, intent, object) ? "whole" : true;
    const owned = applier && partOwnedBy(applier, object, managedFields, isOwned);
    const before = known.find((answer) => answer.writer.id === writer.id);
    const answer: Answer = {
      writer,
      request: this.#digest(canonicalJson(write.request)),
      uid,
      version,
      part: this.#digest(encodeJson(owned ?? write.partOf(object))),
      isOwned: owned !== undefined && isOwned,
      // The watch may have been faster.
      seen: before?.uid === uid && isOlder(version, before.seen?.version) ? before.seen : undefined,
    };
    this.#isEmpty = false;
    this.#answers.set(id, [...known.filter((one) => one !== before), answer]);
  }

  /**
   * Notes a state of an object that came from the server.
   *
   * @param kind - names its kind, which items of a list do not
   * @param managedFields - reads its managedFields; called only if they matter
   */
  see(
    kind: Pick<KubeObject, "apiVersion" | "kind">,
    object: KubeObject,
    managedFields: () => unknown,
  ): void {
    if (this.#isEmpty) return;
    let fields: unknown;
    for (const answer of this.#answers.get(idOf(kind, object)) ?? []) {
      const { uid, seen, isOwned } = answer;
      const { applier } = answer.writer;
      const { resourceVersion: version } = object.metadata;
      const isKnown =
        version === answer.version || isOlder(version, seen?.version ?? answer.version);
      if (!applier || !isOwned || isKnown) continue;
      fields ??= managedFields();
      const isSame = object.metadata.uid === uid;
      const owned = isSame ? partOwnedBy(applier, object, fields, isOwned) : undefined;
      const part = owned === undefined ? NOT_COMPARABLE : this.#digest(encodeJson(owned));
      answer.seen = { version, part };
    }
  }

  /**
   * Whether the write would change nothing: the last write of this writer was the same one, and the object is as it was
   * in the answer, as far as the write is about it.
   *
   * @param known - the object as the caller has it; what was seen of it later counts instead
   */
  isAnswered(write: RepeatableWrite, known: KubeObject): boolean {
    const { uid, resourceVersion: version } = known.metadata;
    const writer = writerIdOf(write);
    const answer = this.#answers.get(idOf(known, known))?.find((one) => one.writer.id === writer);
    if (!answer || answer.uid !== uid) return false;
    if (answer.request !== this.#digest(canonicalJson(write.request))) return false;
    const { seen } = answer;
    if (seen && (seen.version === version || isOlder(version, seen.version))) {
      return seen.part === answer.part;
    }
    if (version === answer.version || isOlder(version, answer.version)) return true;
    // Of owned fields the object itself tells only half: whether the manager still owns them stands in what was seen.
    if (answer.isOwned) return false;
    return answer.part === this.#digest(encodeJson(write.partOf(known)));
  }

  #writerOf(write: RepeatableWrite): Writer {
    const id = writerIdOf(write);
    const writer = this.#writers.get(id) ?? { id, applier: write.applier };
    this.#writers.set(id, writer);
    return writer;
  }

  #digest(text: string): string {
    const digest = createHmac("sha256", this.#key).update(text).digest();
    return digest.toString("latin1", 0, DIGEST_BYTES);
  }
}

/** The owned part of an object, with all of its content if that counts; `undefined` where nothing is owned. */
function partOwnedBy(
  applier: Applier,
  object: KubeObject,
  managedFields: unknown,
  isOwned: true | "whole",
): unknown {
  const fields = ownedFields(managedFields, applier);
  if (!fields) return undefined;
  const owned = ownedPart(object, fields);
  return isOwned === "whole" ? [owned, canonicalJson(contentOf(object, applier))] : owned;
}

function idOf(
  { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">,
  object: KubeObject,
): string {
  return `${apiVersion} ${kind} ${formatKey(keyOf(object))}`;
}

function writerIdOf({ verb, fieldManager }: RepeatableWrite): string {
  return `${verb} ${fieldManager}`;
}
