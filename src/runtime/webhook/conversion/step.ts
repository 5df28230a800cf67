/** Converts one object between the hub and a spoke. */
import { copyJson, isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import type { AnyConverter } from "./conversion-registry.ts";
import { BadContent, RUNTIME_FIELDS, plainContent } from "./content.ts";
import { identityOf as valueIdentity } from "./identity.ts";
import { type Difference, differenceOf, type FieldsDifference, restore } from "./difference.ts";
import {
  annotationBytes,
  ANNOTATIONS_MAX_BYTES,
  readStash,
  type Stash,
  stashNameOf,
  stashText,
  textsOf,
  withoutStashes,
  withTexts,
} from "./stash.ts";
import { isSigned, type KindTrust, signatureOf, type Signed } from "./trust.ts";

/** A step from one version to another; one of them is the hub. */
export interface Step {
  readonly converter: AnyConverter;
  readonly from: string;
  readonly to: string;
  readonly toHub: boolean;
  readonly trust: KindTrust;
}

/** Why fields are not restored from an annotation, or not kept in it. */
export type Ignored =
  | "unreadable"
  | "unsigned status"
  | "outdated status"
  | "invalid"
  | "unsigned"
  | "too large";

export interface StepOptions {
  readonly lossless: boolean;
  /** Called for an annotation of this kind that lacks fields, or whose fields are not restored. */
  readonly ignored: (why: Ignored, annotation: string, object: SentObject) => void;
}

/** The object in the other version. @throws Error that names the converter */
export function takeStep(object: SentObject, step: Step, options: StepOptions): SentObject {
  const { from, to, toHub } = step;
  const metadata: JsonObject = isJsonObject(object.metadata) ? object.metadata : {};
  const shown = withoutStashes(metadata);
  const content = contentOf(object);
  const typed = (apiVersion: string, fields: JsonObject): SentObject =>
    assembled({ apiVersion, kind: object.kind }, shown, fields);
  const converted = call(step.converter, toHub, typed(from, content));
  if (!options.lossless) {
    return assembled({ apiVersion: to, kind: object.kind }, metadata, converted);
  }
  refuseLoss(metadata, step);
  const kept = restored(object, typed(to, converted), step, options);
  const cameBack = call(step.converter, !toHub, typed(to, kept));
  const difference = differenceOf(content, cameBack);
  return assembled(
    { apiVersion: to, kind: object.kind },
    withKept(object, metadata, { difference, kept, step, options }),
    kept,
  );
}

/** The metadata with the fields of the version before that the other one cannot hold. */
function withKept(
  object: SentObject,
  metadata: JsonObject,
  {
    difference,
    kept,
    step,
    options,
  }: { difference: Difference | undefined; kept: JsonObject; step: Step; options: StepOptions },
): JsonObject {
  const { from, to, trust } = step;
  const { storage, stored } = trust.definition;
  const [before, after] = [versionOf(from), versionOf(to)];
  const stash = stashNameOf(before);
  const none = { [stashNameOf(after)]: undefined, [stash]: undefined };
  const bare = withTexts(withTexts(metadata, "labels", none), "annotations", none);
  if (!difference) return bare;
  const isStored = after === storage;
  const { generation, ...about } = identityOf(metadata, before);
  // What is stored is of all later generations as well.
  const signed = { ...about, generation: isStored ? undefined : generation };
  const [key] = trust.keys;
  const sign = (text: string): string => signatureOf(key, { use: "fields", text, ...signed });
  const hasStatus = statusIsIn(difference) && trust.definition.hasStatus(before);
  if (hasStatus && !trust.signs) options.ignored("unsigned", stash, object);
  const text = stashText(difference, {
    // The status of a stored object changes without its annotations, which users can write.
    ...(isStored && hasStatus && { beside: valueIdentity(kept["status"] ?? null) }),
    ...(trust.signs && { sign }),
  });
  const annotated = withTexts(bare, "annotations", { [stash]: text });
  const bytes = annotationBytes(annotated);
  if (bytes <= ANNOTATIONS_MAX_BYTES) return annotated;
  // A read has to be answered. Objects without a uid, and in a version that none is stored in, are written.
  if (signed.uid === "" || (isStored && !stored.includes(before))) {
    throw new Error(
      `${to} cannot hold all of its fields, and the ones to keep in the annotation ${stash} are too large: the annotations would take ${bytes} bytes, but the limit is ${ANNOTATIONS_MAX_BYTES}; let ${step.converter.constructor.name} convert more of the fields, or make the object smaller`,
    );
  }
  options.ignored("too large", stash, object);
  const mark = isStored ? LOST : signatureOf(key, { use: "mark", text: "", ...signed });
  return withTexts(bare, "labels", { [stash]: mark });
}

/** The value of a label where fields are too large to be kept, and no write can be refused. */
const LOST = "too-large";

/**
 * A version that did not show all fields of an object cannot be written: the fields would be lost.
 *
 * @throws Error
 */
function refuseLoss(metadata: JsonObject, { from, to, trust }: Step): void {
  const version = versionOf(to);
  if (version !== trust.definition.storage) return;
  const mark = textsOf(metadata, "labels")[stashNameOf(version)];
  const about: Signed = { use: "mark", text: "", ...identityOf(metadata, version) };
  if (typeof mark !== "string" || !isSigned(trust, mark, about)) return;
  throw new Error(
    `${from} does not show all of its fields: those that only ${to} has are too large for the annotations of an object, and would be lost; write it in ${to}, or make these fields smaller there first`,
  );
}

/** The converted object, with the fields of that version that were kept. */
function restored(
  object: SentObject,
  converted: SentObject,
  { to, trust }: Step,
  { ignored }: StepOptions,
): JsonObject {
  const version = versionOf(to);
  const annotation = stashNameOf(version);
  const content = contentOf(converted);
  const text = textsOf(object.metadata, "annotations")[annotation];
  if (text === undefined) return content;
  const stash = readStash(text);
  if (!stash) {
    ignored("unreadable", annotation, object);
    return content;
  }
  if (isAuthentic(stash, object, version, trust)) {
    const { beside, difference: all } = stash;
    const { status = null } = contentOf(object);
    const isCurrent = beside === undefined || beside === valueIdentity(status);
    if (!isCurrent) ignored("outdated status", annotation, object);
    return restore(content, isCurrent ? all : differenceWithoutStatus(all)) as JsonObject;
  }
  // Who may write an object may write its annotations, and thereby not its status.
  const { definition } = trust;
  const difference = definition.hasStatus(version)
    ? differenceWithoutStatus(stash.difference)
    : stash.difference;
  const isDropped = difference !== stash.difference;
  if (isDropped) ignored("unsigned status", annotation, object);
  const restoredContent = restore(content, difference) as JsonObject;
  // What a status without its other fields lacks says nothing of the rest.
  const judged = (fields: JsonObject): readonly string[] => {
    const whole: SentObject = { ...converted, ...fields };
    return definition.mistakes(isDropped ? withoutStatus(whole) : whole);
  };
  const known = new Set(judged(content));
  const mistakes = judged(restoredContent);
  if (mistakes.every((mistake) => known.has(mistake))) return restoredContent;
  ignored("invalid", annotation, object);
  return content;
}

function isAuthentic(
  { signature, text }: Stash,
  { metadata }: SentObject,
  version: string,
  trust: KindTrust,
): boolean {
  if (signature === undefined) return false;
  const { generation, uid } = identityOf(metadata, version);
  return isSigned(trust, signature, { use: "fields", text, uid, version, generation });
}

function differenceWithoutStatus(difference: FieldsDifference): FieldsDifference {
  return statusIsIn(difference) ? { fields: withoutStatus(difference.fields) } : difference;
}

const statusIsIn = (difference: Difference): difference is FieldsDifference =>
  "fields" in difference && Object.hasOwn(difference.fields, "status");

function withoutStatus<T extends object>(fields: T & { readonly status?: unknown }): T {
  const { status: _, ...rest } = fields;
  return rest as T;
}

/** What signatures say about an object. */
function identityOf(metadata: unknown, version: string): Omit<Signed, "use" | "text"> {
  const { uid, generation }: JsonObject = isJsonObject(metadata) ? metadata : {};
  return {
    uid: typeof uid === "string" ? uid : "",
    version,
    generation: typeof generation === "number" ? generation : undefined,
  };
}

/** The result of a converter, which gets a copy of the object. */
function call(converter: AnyConverter, toHub: boolean, object: SentObject): JsonObject {
  const method = toHub ? "toHub" : "fromHub";
  try {
    return plainContent(converter[method](copyJson(object)));
  } catch (error) {
    const name = `${converter.constructor.name}.${method}`;
    if (error instanceof BadContent) {
      throw new Error(`${name} ${error.message}`, { cause: error });
    }
    const thrown = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new Error(`${name} threw ${thrown}`, { cause: error });
  }
}

function contentOf(object: SentObject): JsonObject {
  const content: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (!RUNTIME_FIELDS.includes(name)) setField(content, name, value);
  }
  return content;
}

function assembled(
  type: Pick<SentObject, "apiVersion" | "kind">,
  metadata: JsonObject,
  content: JsonObject,
): SentObject {
  return { ...type, metadata, ...content };
}

const versionOf = (apiVersion: string): string => parseApiVersion(apiVersion).version;
