/** Converts one object between the hub and a spoke. */
import { copyJson, isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import type { AnyConverter } from "./conversion-registry.ts";
import { BadContent, RUNTIME_FIELDS, plainContent } from "./content.ts";
import { differenceOf, restore } from "./difference.ts";
import {
  annotationBytes,
  ANNOTATIONS_MAX_BYTES,
  annotationsOf,
  readStash,
  stashNameOf,
  stashText,
  withAnnotations,
  withoutStashes,
} from "./stash.ts";

/** A step from one version to another; one of them is the hub. */
export interface Step {
  readonly converter: AnyConverter;
  readonly from: string;
  readonly to: string;
  readonly toHub: boolean;
}

export interface StepOptions {
  readonly lossless: boolean;
  /** Called for an annotation of this kind with an invalid text. */
  readonly ignored: (annotation: string, object: SentObject) => void;
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
  const kept = restored(object, converted, to, options);
  const cameBack = call(step.converter, !toHub, typed(to, kept));
  const difference = differenceOf(content, cameBack);
  const stash = stashNameOf(versionOf(from));
  const annotated = withAnnotations(metadata, {
    [stashNameOf(versionOf(to))]: undefined,
    [stash]: difference && stashText(difference),
  });
  if (difference && annotationBytes(annotated) > ANNOTATIONS_MAX_BYTES) {
    const bytes = annotationBytes(annotated);
    throw new Error(
      `${to} cannot hold all of its fields, and the ones to keep in the annotation ${stash} are too large: the annotations would take ${bytes} bytes, but the limit is ${ANNOTATIONS_MAX_BYTES}; let ${step.converter.constructor.name} convert more of the fields, or make the object smaller`,
    );
  }
  return assembled({ apiVersion: to, kind: object.kind }, annotated, kept);
}

/** The converted object, with the fields of that version that were kept. */
function restored(
  object: SentObject,
  converted: JsonObject,
  to: string,
  { ignored }: StepOptions,
): JsonObject {
  const annotation = stashNameOf(versionOf(to));
  const text = annotationsOf(object.metadata)[annotation];
  if (text === undefined) return converted;
  const difference = readStash(text);
  if (!difference) {
    ignored(annotation, object);
    return converted;
  }
  return restore(converted, difference) as JsonObject;
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
