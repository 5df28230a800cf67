/** Rules of the kind CertificateSigningRequest. */
import { X509Certificate } from "node:crypto";
import { messageOf } from "../../../../errors.ts";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  quote,
  required,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt, textAt } from "../../at.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import { unifiedDiff } from "../../strategies/unified-diff.ts";
import { humanDuration } from "../../../../kube/values/age.ts";
import { fields, labelNotSupported } from "../../selectable-fields.ts";
import { pemBlocks } from "./pem.ts";
import { checkSignerName } from "../../shared/signers.ts";
import { Check } from "../../../../kube/check.ts";

/** Sets the requesting user in the spec, whatever the request says. */
function prepareSigningRequestForCreate(object: SigningRequest, context: WriteContext): void {
  const { spec } = object;
  const { name, uid, groups, extra } = context.user;
  delete spec.uid;
  delete spec.extra;
  spec.username = name;
  spec.groups = [...groups];
  if (uid !== undefined && uid !== "") spec.uid = uid;
  if (extra && Object.keys(extra).length > 0) {
    spec.extra = Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [key, [...values]]),
    );
  }
}

/** Keeps the spec in an update, which may change metadata only. */
function prepareSigningRequestForUpdate(object: SigningRequest, old: SigningRequest): void {
  object.spec = structuredClone(old.spec);
}

/** Keeps the conditions Approved and Denied in a write to the status. */
function prepareSigningStatus(
  object: SigningRequest,
  previous: SigningRequest,
  context: WriteContext,
): void {
  const conditions = object.status?.conditions ?? [];
  const before = previous.status?.conditions ?? [];
  for (const type of ["Approved", "Denied"]) {
    const old = before.filter((condition) => condition.type === type);
    const now = conditions.filter((condition) => condition.type === type);
    if (old.length !== now.length) continue;
    for (const [index, condition] of now.entries()) {
      const kept = old[index];
      if (!kept || sameJson(kept, condition)) continue;
      conditions[conditions.indexOf(condition)] = structuredClone(kept);
    }
  }
  stampConditions(conditions, before, context);
}

/** Sets the times of the conditions. */
function stampConditions(
  conditions: readonly SigningCondition[],
  before: readonly SigningCondition[],
  context: WriteContext,
): void {
  const now = timeOf(context.clock.now());
  for (const condition of conditions) {
    condition.lastUpdateTime ??= now;
    const same = before.find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime,
    );
    condition.lastTransitionTime ??= same?.lastTransitionTime ?? now;
  }
}

/** The shape of a CertificateSigningRequest. */
export interface SigningRequest extends SentObject {
  spec: {
    request?: string;
    signerName?: string;
    usages?: string[] | null;
    expirationSeconds?: number;
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
  };
  status?: { certificate?: string; conditions?: SigningCondition[] };
}

/** A condition of a CertificateSigningRequest: an approval, a denial or a failure. */
export interface SigningCondition {
  type: string;
  status?: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

const USAGES = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const DECISIONS = ["Approved", "Denied"];
const FINAL = [...DECISIONS, "Failed"];
const SHORTEST_SECONDS = 600;
const FIELD = "status.conditions";

/** Validates a new CertificateSigningRequest. */
const newSigningRequestErrors = (object: SigningRequest): FieldError[] =>
  requestErrors(object, undefined);

/** Validates an update, which may change metadata only. */
const signingRequestUpdateErrors = (object: SigningRequest, old: SigningRequest): FieldError[] =>
  changeErrors(object, old, "update");

/** Validates a write to the status, which issues the certificate. */
const signingStatusErrors = (object: SigningRequest, old: SigningRequest): FieldError[] =>
  changeErrors(object, old, "status");

/** Validates an approval or a denial. */
const signingApprovalErrors = (object: SigningRequest, old: SigningRequest): FieldError[] =>
  changeErrors(object, old, "approval");

function requestErrors(object: SigningRequest, old: SigningRequest | undefined): FieldError[] {
  const { request, signerName = "", expirationSeconds: seconds } = object.spec;
  const usages = object.spec.usages ?? [];
  const errors: FieldError[] = [];
  const problem = requestProblem(request ?? "");
  if (problem !== undefined) errors.push(invalidValue("spec.request", request ?? null, problem));
  if (usages.length === 0) errors.push(required("spec.usages"));
  for (const [index, usage] of usages.entries()) {
    if (!USAGES.includes(usage)) errors.push(notSupported(`spec.usages[${index}]`, usage, USAGES));
  }
  for (const [index, usage] of usages.entries()) {
    if (usages.indexOf(usage) < index) errors.push(duplicate(`spec.usages[${index}]`, usage));
  }
  if (signerName === "kubernetes.io/legacy-unknown") {
    const detail = "the legacy signerName is not allowed via this API version";
    errors.push(invalidValue("spec.signerName", signerName, detail));
  } else errors.push(...Check.errorsOf(signerName, checkSignerName, "spec.signerName"));
  if (seconds !== undefined && seconds < SHORTEST_SECONDS) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    errors.push(invalidValue("spec.expirationSeconds", seconds, detail));
  }
  errors.push(...conditionsErrors(object.status?.conditions ?? []));
  const { certificate = "" } = object.status ?? {};
  const before = old?.status?.certificate ?? "";
  if (old && (certificate === before || certificateProblem(before) !== undefined)) return errors;
  const wrong = certificateProblem(certificate);
  return wrong === undefined
    ? errors
    : [...errors, invalidValue("status.certificate", "<certificate data>", wrong)];
}

function conditionsErrors(conditions: readonly SigningCondition[]): FieldError[] {
  const seen = new Set<string>();
  const errors = conditions.flatMap(({ type, status = "" }, index) => {
    const at = `${FIELD}[${index}]`;
    const errors = type === "" ? [required(`${at}.type`)] : [];
    const known = FINAL.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (status === "") errors.push(required(`${at}.status`));
    else if (!known.includes(status)) errors.push(notSupported(`${at}.status`, status, known));
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
    return errors;
  });
  if (!DECISIONS.every((decision) => seen.has(decision))) return errors;
  const members = DECISIONS.map((decision) => `conditions[{"type": "${decision}"}]`);
  const detail = `must specify at most one of: ${members.map((member) => `\`${member}\``).join(", ")}`;
  return [...errors, invalidValue(FIELD, `{${members.join(", ")}}`, detail)];
}

function changeErrors(
  object: SigningRequest,
  old: SigningRequest,
  endpoint: "update" | "status" | "approval",
): FieldError[] {
  const errors = requestErrors(object, old);
  const of = (request: SigningRequest, type: string): SigningCondition[] =>
    (request.status?.conditions ?? []).filter((condition) => condition.type === type);
  for (const type of FINAL) {
    if (of(object, type).length < of(old, type).length) {
      const detail = `updates may not remove a condition of type ${quote(type)}`;
      errors.push(forbidden(FIELD, detail));
    }
  }
  for (const type of endpoint === "approval" ? [] : DECISIONS) {
    const [now, before] = [of(object, type), of(old, type)];
    if (now.length > before.length) {
      errors.push(forbidden(FIELD, `updates may not add a condition of type ${quote(type)}`));
    } else if (now.length === before.length && !sameJson(now, before)) {
      const shown = (list: SigningCondition[]): unknown =>
        internalForm("[]certificates.CertificateSigningRequestCondition", list);
      const detail = `updates may not modify a condition of type ${quote(type)}`;
      errors.push(forbidden(FIELD, `${detail}\n${unifiedDiff(shown(before), shown(now))}`));
    }
  }
  const { certificate = "" } = object.status ?? {};
  const { certificate: before = "" } = old.status ?? {};
  if (certificate === before) return errors;
  if (endpoint !== "status") {
    errors.push(forbidden("status.certificate", "updates may not set certificate content"));
  } else if (before !== "") {
    const detail = "updates may not modify existing certificate content";
    errors.push(forbidden("status.certificate", detail));
  }
  return errors;
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

/** The mistake in a certificate request, which must be one PEM block. */
function requestProblem(base64: string): string | undefined {
  const [block] = pemBlocks(textOf(base64));
  if (block?.type !== "CERTIFICATE REQUEST") {
    return "PEM block type must be CERTIFICATE REQUEST";
  }
  const der = Buffer.from(block.body, "base64");
  if (der.length === 0) return "asn1: syntax error: sequence truncated";
  return isSequence(der) ? undefined : "x509: malformed certificate request";
}

/** Whether the bytes are exactly one ASN.1 sequence. */
function isSequence(der: Buffer): boolean {
  const [tag = 0, first = 0] = der;
  if (tag !== 0x30) return false;
  if (first < 0x80) return der.length === first + 2;
  const digits = first & 0x7f;
  if (digits === 0 || digits > 4 || der.length < 2 + digits) return false;
  return der.length === 2 + digits + der.readUIntBE(2, digits);
}

/** The mistake in the certificates that a signer issued. */
function certificateProblem(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const blocks = pemBlocks(textOf(base64));
  for (const { text, type, body } of blocks) {
    if (type !== "CERTIFICATE") {
      return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    }
    if (body.includes(":")) return "no PEM block headers are permitted";
    try {
      new X509Certificate(text);
    } catch (error) {
      return `x509: malformed certificate: ${messageOf(error)}`;
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

function requestCondition(request: SentObject): string {
  const types = new Set(
    listAt(request, "status.conditions").map((condition) => textAt(condition, "type")),
  );
  const decision = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  const failed = types.has("Failed") ? ",Failed" : "";
  const issued = textAt(request, "status.certificate") === "" ? "" : ",Issued";
  return `${decision}${failed}${issued}`;
}

function requestedDuration(request: SentObject): string {
  const seconds = at(request, "spec.expirationSeconds");
  return typeof seconds === "number" ? humanDuration(seconds * 1000) : "<none>";
}

/** Takes the conditions from a write to the `approval` subresource. */
function takeConditions(
  request: SigningRequest,
  given: SigningRequest,
  context: WriteContext,
): void {
  const status = (request.status ??= {});
  const { conditions = [] } = given.status ?? {};
  stampConditions(conditions, status.conditions ?? [], context);
  status.conditions = conditions;
}

/** The rules of CertificateSigningRequests. */
export const certificateSigningRequestRules: KindRules = {
  name: "any",
  status: "all",
  prepareForCreate: prepareSigningRequestForCreate,
  prepareForUpdate: prepareSigningRequestForUpdate,
  prepareForStatus: prepareSigningStatus,
  validateCreate: newSigningRequestErrors,
  validateUpdate: signingRequestUpdateErrors,
  validateStatus: signingStatusErrors,
  validateSubresource: signingApprovalErrors,
  table: {
    SignerName: ["spec.signerName", "<none>"],
    Requestor: "spec.username",
    RequestedDuration: requestedDuration,
    Condition: requestCondition,
  },
  metadataChecks: ["whole", "change"],
  subresourceMetadataChecks: ["whole", "change"],
  refuseFieldLabel: labelNotSupported,
  selectsNoNamespace: true,
  selectableFields: fields("spec.signerName"),
  resetFields: {
    "": ["spec", "status"],
    status: ["spec", "status.conditions"],
    approval: ["spec", "status.certificate"],
  },
  writtenNulls: { spec: { request: null } },
  subresources: { approval: { take: takeConditions } },
};
