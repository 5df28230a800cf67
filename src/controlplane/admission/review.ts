/**
 * `AdmissionReview`: the request to a webhook, and the checks of its answer.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request
 */
import { quote } from "../../kube/field-errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { Status } from "../../kube/status.ts";
import { userInfo } from "../auth/authenticator.ts";
import { withEmptied } from "../builtin/go/emptied.ts";
import type { ServedResource } from "../kinds.ts";
import { readType } from "../wire/bodies/body.ts";
import { openText } from "../wire/bodies/yaml.ts";
import { plainNumbers } from "../wire/json/number-literal.ts";
import { WireError } from "../wire/json/wire-error.ts";
import { type AdmissionRequest, hasOwnKind, kindOf } from "./attributes.ts";
import { WebhookCallError } from "./webhook-failures.ts";
import type { Webhook } from "./webhooks.ts";

/** The answer of a webhook, checked. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly result: Partial<Status> | undefined;
  readonly warnings: readonly string[];
  /** Decoded from base64; empty when there is none. */
  readonly patch: Buffer;
  readonly patchType: string;
}

/** A review to send, and the uid and version that its answer must repeat. */
export interface Question {
  readonly body: JsonObject;
  readonly uid: string;
  readonly apiVersion: string;
}

const KNOWN_VERSIONS = ["v1", "v1beta1"];

/** The review of a write whose objects are in the version of `resource` already. */
export function questionFor(
  webhook: Webhook,
  request: AdmissionRequest,
  resource: ServedResource,
  uid: string,
): Question {
  const version = (webhook.admissionReviewVersions ?? []).find((one) =>
    KNOWN_VERSIONS.includes(one),
  );
  if (version === undefined) {
    throw new WebhookCallError(
      "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    );
  }
  const apiVersion = `admission.k8s.io/${version}`;
  const body: JsonObject = {
    kind: "AdmissionReview",
    apiVersion,
    request: reviewRequest(request, resource, uid),
  };
  return { body, uid, apiVersion };
}

/**
 * A write as reviews and expressions show it: its objects are in the version of `resource` already.
 */
export function reviewRequest(
  request: AdmissionRequest,
  resource: ServedResource,
  uid: string,
): JsonObject {
  const { subresource, name, namespace, operation, dryRun, options } = request;
  return {
    uid,
    kind: hasOwnKind(request) ? kindOf(resource) : { ...request.kind },
    resource: resourceOf(resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: { ...request.kind },
    requestResource: resourceOf(request.resource),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: userInfo(request.user),
    object: request.object ? withEmptied(request.object) : null,
    oldObject: request.oldObject ?? null,
    dryRun,
    options,
  };
}

const resourceOf = ({ group, version, plural }: ServedResource): JsonObject => ({
  group,
  version,
  resource: plural,
});

/** Reads the answer to a review. @throws WebhookCallError */
export function readAnswer(
  bytes: Buffer,
  question: Question,
  kind: "mutating" | "validating",
): ReviewAnswer {
  const answer = decodeAnswer(bytes, question.apiVersion);
  const invalid = (why: string): WebhookCallError =>
    new WebhookCallError(`received invalid webhook response: ${why}`);
  const response = isJsonObject(answer) ? answer["response"] : undefined;
  if (!isJsonObject(response)) throw invalid("webhook response was absent");
  const isV1 = question.apiVersion === "admission.k8s.io/v1";
  const patch = decodePatch(response["patch"]);
  const given = response["patchType"];
  const patchType = typeof given === "string" ? given : undefined;
  if (isV1) {
    const uid = typeof response["uid"] === "string" ? response["uid"] : "";
    if (uid !== question.uid) {
      throw invalid(`expected response.uid=${quote(question.uid)}, got ${quote(uid)}`);
    }
    const { apiVersion, kind: type } = readType(answer);
    if (apiVersion === "" || type === "") {
      throw invalid(
        `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion === "" ? "/" : apiVersion}, Kind=${type}`,
      );
    }
    const problem = patchProblem(patch, patchType, kind);
    if (problem !== undefined) throw invalid(problem);
  }
  const { status, warnings }: Answered = response;
  return {
    allowed: response["allowed"] === true,
    result: status,
    warnings: warnings ?? [],
    patch: kind === "mutating" ? patch : Buffer.alloc(0),
    patchType: !isV1 && patch.length > 0 ? "JSONPatch" : (patchType ?? ""),
  };
}

/** The fields of an answer beside its verdict and its patch. */
interface Answered {
  readonly status?: Partial<Status>;
  readonly warnings?: string[] | null;
}

function patchProblem(
  patch: Buffer,
  patchType: string | undefined,
  kind: "mutating" | "validating",
): string | undefined {
  if (kind === "validating") {
    const field = patch.length > 0 ? "patch" : patchType === undefined ? undefined : "patchType";
    return field && `validating webhook may not return response.${field}`;
  }
  if (patch.length > 0 && patchType === undefined) {
    return "webhook returned response.patch but not response.patchType";
  }
  if (patch.length === 0 && patchType !== undefined) {
    return "webhook returned response.patchType but not response.patch";
  }
  return patchType === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function decodeAnswer(bytes: Buffer, expected: string): unknown {
  const failed = (why: string): WebhookCallError =>
    new WebhookCallError(`failed to call webhook: ${why}`);
  let value: unknown;
  let type: { readonly apiVersion: string; readonly kind: string };
  try {
    // An answer that is not JSON is tried as YAML, of which any text is a string.
    value = plainNumbers(openText(bytes).value);
    type = readType(value);
  } catch (error) {
    if (error instanceof WireError) throw failed(error.message);
    throw error;
  }
  const { group, version } = parseApiVersion(type.apiVersion);
  // Without a type it is taken for a review of the version that was sent.
  if (type.kind === "" && type.apiVersion === "") return value;
  if (
    type.kind !== "AdmissionReview" ||
    group !== "admission.k8s.io" ||
    !KNOWN_VERSIONS.includes(version)
  ) {
    throw failed(
      `no kind ${quote(type.kind)} is registered for version ${quote(type.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (type.apiVersion !== expected) {
    const other = parseApiVersion(expected).version;
    throw failed(
      `converting (${version}.AdmissionReview) to (${other}.AdmissionReview): unknown conversion`,
    );
  }
  return value;
}

function decodePatch(patch: unknown): Buffer {
  if (patch === undefined || patch === null) return Buffer.alloc(0);
  const text = typeof patch === "string" ? patch : "";
  const bad = /[^A-Za-z0-9+/=\r\n]/.exec(text);
  if (typeof patch !== "string" || bad) {
    throw new WebhookCallError(
      `failed to call webhook: illegal base64 data at input byte ${bad?.index ?? 0}`,
    );
  }
  return Buffer.from(text, "base64");
}
