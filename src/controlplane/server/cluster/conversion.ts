/**
 * Conversion of custom resources between versions by the webhook of their definition.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
import { formatFieldError, quote } from "../../../kube/field-errors.ts";
import { asObject, copyJson, getField, isJsonObject, sameJson } from "../../../kube/json.ts";
import { validateAnnotations, validateLabels } from "../../../kube/metadata.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { goKindOf } from "../../../kube/patch.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import { StatusError } from "../../../kube/status.ts";
import { at } from "../../builtin/at.ts";
import type { WebhookCaller } from "../../admission/webhook-caller.ts";
import { WebhookCallError } from "../../admission/webhook-failures.ts";
import type { ConversionWebhook } from "../../kinds.ts";
import { readType } from "../../wire/bodies/body.ts";
import { openText } from "../../wire/bodies/yaml.ts";
import { plainNumbers } from "../../wire/json/number-literal.ts";
import { WireError } from "../../wire/json/wire-error.ts";
import { plainError } from "../../failures.ts";

const REVIEW_GROUP = "apiextensions.k8s.io";
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const TIMEOUT_SECONDS = 30;
/** The number of kept answers: more than one write needs at a time. */
const ANSWERS_KEPT = 100;

/** Thrown for an invalid answer. */
class BadAnswer extends Error {}

/** Thrown where an object is needed synchronously that a webhook must convert first. */
class NotYetConverted extends Error {
  readonly key: string;
  /** Calls the webhook. @returns whether it failed */
  readonly ask: () => Promise<boolean>;

  constructor(key: string, ask: () => Promise<boolean>) {
    super("the object has to be converted first");
    this.key = key;
    this.ask = ask;
  }
}

export class Conversion {
  readonly #caller: Pick<WebhookCaller, "post"> | undefined;
  readonly #newUid: () => string;
  /** The answers to the work under way in `run`. */
  readonly #answers = new Map<string, SentObject | StatusError>();

  /** @param caller - without it, no webhook is called: conversion changes only `apiVersion` */
  constructor(caller: Pick<WebhookCaller, "post"> | undefined, newUid: () => string) {
    this.#caller = caller;
    this.#newUid = newUid;
  }

  /**
   * Runs work that needs converted objects synchronously. The work is restarted after each
   * conversion, so it must not change its inputs.
   */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    const failed: string[] = [];
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof NotYetConverted)) throw error;
          if (await error.ask()) failed.push(error.key);
        }
      }
    } finally {
      // The next work may succeed.
      for (const key of failed) this.#answers.delete(key);
    }
  }

  /**
   * The object in another version, within `run` only.
   *
   * @throws StatusError 500 in the words of the API server
   */
  converted(webhook: ConversionWebhook, object: SentObject, apiVersion: string): SentObject {
    const key = JSON.stringify([webhook, apiVersion, object]);
    const known = this.#answers.get(key);
    if (known instanceof StatusError) throw known;
    if (known) return copyJson(known);
    throw new NotYetConverted(key, async () => {
      const answer = await this.convert(webhook, object, apiVersion).catch((thrown: unknown) => {
        if (thrown instanceof StatusError) return thrown;
        throw thrown;
      });
      this.#answers.set(key, answer);
      const [oldest] = this.#answers.keys();
      if (this.#answers.size > ANSWERS_KEPT && oldest !== undefined) this.#answers.delete(oldest);
      return answer instanceof StatusError;
    });
  }

  /** The object in another version. @throws StatusError 500 in the words of the API server */
  async convert(
    { target, reviewVersions }: ConversionWebhook,
    object: SentObject,
    apiVersion: string,
  ): Promise<SentObject> {
    if (!this.#caller) return { ...copyJson(object), apiVersion };
    const uid = this.#newUid();
    const version = reviewVersions.find((name) => REVIEW_VERSIONS.includes(name)) ?? "v1";
    const { resourceVersion, ...metadata } = metadataOf(object) ?? {};
    const review = {
      kind: "ConversionReview",
      apiVersion: `${REVIEW_GROUP}/${version}`,
      request: {
        uid,
        desiredAPIVersion: apiVersion,
        objects: [metadataOf(object) ? { ...object, metadata } : object],
      },
      response: { uid: "", convertedObjects: null, result: { metadata: {} } },
    };
    const subject = `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`;
    try {
      const bytes = await this.#caller.post(target, review, TIMEOUT_SECONDS);
      const converted = onlyObject(convertedObjects(bytes, version, uid));
      const result = checked(object, converted, apiVersion);
      if (resourceVersion !== undefined) result.metadata.resourceVersion = resourceVersion;
      return result;
    } catch (error) {
      if (error instanceof WebhookCallError)
        throw plainError(`${subject} failed: ${error.message}`);
      if (error instanceof BadAnswer) throw plainError(`${subject} ${error.message}`);
      throw error;
    }
  }
}

/** The text fields of a response, with their types in Go. */
const RESPONSE_TEXTS = [
  ["uid", "types.UID"],
  ["result.status", "string"],
  ["result.message", "string"],
] as const;

/** @throws WebhookCallError when a text field is not a text */
function checkTypes(response: JsonObject): void {
  for (const [path, type] of RESPONSE_TEXTS) {
    const value = at(response, path);
    if (value === undefined || value === null || typeof value === "string") continue;
    throw new WebhookCallError(
      `json: cannot unmarshal ${goKindOf(value)} into Go struct field ConversionResponse.response.${path} of type ${type}`,
    );
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function convertedObjects(bytes: Buffer, version: string, uid: string): readonly unknown[] {
  const answer = decodeAnswer(bytes, version);
  const { response } = answer;
  // Reviews of v1beta1 have fewer checks.
  const isStrict = version === "v1";
  if (isStrict && textOf(answer["kind"]) === "") {
    throw new WebhookCallError(
      `expected webhook response of ${REVIEW_GROUP}/v1, Kind=ConversionReview, got /, Kind=`,
    );
  }
  if (!isJsonObject(response)) throw new WebhookCallError("no response provided");
  checkTypes(response);
  const answered = textOf(response["uid"]);
  if (isStrict && answered !== uid) {
    throw new WebhookCallError(`expected response.uid=${quote(uid)}, got ${quote(answered)}`);
  }
  const result = isJsonObject(response["result"]) ? response["result"] : {};
  const status = textOf(result["status"]);
  if (status !== "Success") {
    const message = textOf(result["message"]);
    throw new WebhookCallError(
      message === "" ? `response.result.status was '${status}', not 'Success'` : message,
    );
  }
  return Array.isArray(response["convertedObjects"]) ? response["convertedObjects"] : [];
}

function decodeAnswer(bytes: Buffer, version: string): JsonObject {
  try {
    const value = plainNumbers(openText(bytes).value);
    const type = readType(value);
    const { group, version: answered } = parseApiVersion(type.apiVersion);
    const { kind, apiVersion } = type;
    if (kind === "" || (kind === "ConversionReview" && answered === version)) {
      return value as JsonObject;
    }
    throw new WebhookCallError(
      isKnownKind(group, kind)
        ? `converting (${answered}.${kind}) to (${version}.ConversionReview): unknown conversion`
        : `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  } catch (error) {
    if (error instanceof WireError) throw new WebhookCallError(error.message);
    throw error;
  }
}

/** Whether the kind exists in every group, or in that of reviews. */
const isKnownKind = (group: string, kind: string): boolean =>
  /^(Status|APIVersions|APIGroup|APIGroupList|APIResourceList)$/.test(kind) ||
  (group === REVIEW_GROUP && /^(ConversionReview|CustomResourceDefinition(List)?)$/.test(kind));

function onlyObject(objects: readonly unknown[]): JsonObject {
  if (objects.length !== 1) throw new BadAnswer(`returned ${objects.length} objects, expected 1`);
  return isJsonObject(objects[0]) ? objects[0] : {};
}

/** The metadata of an object; absent where an apply removed it. */
const metadataOf = (object: SentObject): SentObject["metadata"] | undefined =>
  (object as Partial<SentObject>).metadata;

/** The converted object with its own identity: only labels and annotations may differ. */
function checked(before: SentObject, after: JsonObject, apiVersion: string): SentObject {
  const mustBe = (what: string, expected: string, actual: string): void => {
    if (expected === actual) return;
    throw new BadAnswer(
      `returned invalid object at index 0: invalid ${what} (expected ${expected}, received ${actual})`,
    );
  };
  mustBe("groupVersion", apiVersion, textOf(after["apiVersion"]));
  mustBe("kind", before.kind, textOf(after["kind"]));
  const metadata = isJsonObject(after["metadata"]) ? after["metadata"] : {};
  for (const [field, name] of IDENTITY) {
    const was = metadataOf(before)?.[field] ?? "";
    const is = textOf(metadata[field]);
    if (was === is) continue;
    throw new BadAnswer(`returned invalid object: must have the same ${name}: ${was} != ${is}`);
  }
  if (after["metadata"] === undefined) {
    throw new BadAnswer("returned invalid metadata: missing metadata in converted object");
  }
  const kept = copyJson(metadataOf(before) ?? {}) as Record<string, unknown>;
  for (const field of ["labels", "annotations"] as const) {
    const value = metadata[field] ?? undefined;
    if (value !== undefined && !sameJson(value, kept[field])) checkTexts(field, value);
    if (value === undefined) delete kept[field];
    else kept[field] = value;
  }
  return asObject({ ...after, metadata: kept });
}

const IDENTITY = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function checkTexts(field: "labels" | "annotations", value: unknown): void {
  const invalid = (why: string): BadAnswer => new BadAnswer(`returned invalid metadata: ${why}`);
  if (!isJsonObject(value)) {
    throw invalid(`invalid metadata.${field} of type ${goType(value)} in converted object`);
  }
  for (const key of Object.keys(value)) {
    const one = getField(value, key);
    if (typeof one === "string") continue;
    throw invalid(
      `metadata.${field}[${key}] must be a string, but is ${goType(one)} in converted object`,
    );
  }
  const texts = value as Record<string, string>;
  const validate = field === "labels" ? validateLabels : validateAnnotations;
  const shown = validate(`metadata.${field}`, texts).map(formatFieldError);
  if (shown.length === 0) return;
  throw invalid(shown.length === 1 ? shown.join() : `[${shown.join(", ")}]`);
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
