import { X509Certificate } from "node:crypto";
import type { Check } from "../../../../kube/check.ts";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
} from "../../../../generated/k8s/certificates-v1.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import { messageOf } from "../../../../errors.ts";
import { quote } from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt, textAt } from "../../at.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import { unifiedDiff } from "../../go/unified-diff.ts";
import { humanDuration } from "../../../../kube/values/age.ts";
import { fields } from "../../selectable-fields.ts";
import { readCertificateRequest } from "../../../auth/certificate-request.ts";
import { pemBlocks } from "../../../../kube/x509/pem.ts";
import { checkSignerName } from "../../shared/signers.ts";

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

/** Keeps the conditions Approved and Denied in a write to the status. */
function prepareSigningStatus(
  object: SigningRequest,
  previous: SigningRequest,
  context: WriteContext,
): void {
  const conditions = object.status?.conditions ?? [];
  const before = previous.status?.conditions ?? [];
  for (const type of DECISIONS) {
    const [old, now] = [of(before, type), of(conditions, type)];
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

export type SigningRequest = Sent<CertificateSigningRequest> & {
  spec: Loose<CertificateSigningRequestSpec>;
};

/** A condition of a CertificateSigningRequest: an approval, a denial or a failure. */
export type SigningCondition = Loose<CertificateSigningRequestCondition>;

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

/** Validates a request, and its certificate unless it was invalid before. */
function checkRequest(object: Check<SigningRequest>, old?: SigningRequest): void {
  const spec = object.at("spec");
  const request = spec.child("request", spec.value.request ?? "");
  const signer = spec.child("signerName", spec.value.signerName ?? "");
  const problem = requestProblem(request.value);
  if (problem !== undefined) request.invalid(problem, spec.value.request ?? null);
  const usages = spec.at("usages");
  usages.given();
  usages.each((usage) => usage.oneOf(USAGES));
  usages.unique();
  if (signer.value === "kubernetes.io/legacy-unknown") {
    signer.invalid("the legacy signerName is not allowed via this API version");
  } else checkSignerName(signer);
  spec.at("expirationSeconds").ifSet((seconds) => {
    if (seconds.value >= SHORTEST_SECONDS) return;
    seconds.invalid("may not specify a duration less than 600 seconds (10 minutes)");
  });
  checkConditions(object.at("status", "conditions"));
  const certificate = object.at("status", "certificate");
  const { value: text = "" } = certificate;
  const before = old?.status?.certificate ?? "";
  if (old && (text === before || certificateProblem(before) !== undefined)) return;
  const wrong = certificateProblem(text);
  if (wrong !== undefined) certificate.invalid(wrong, "<certificate data>");
}

function checkConditions(conditions: Check<SigningCondition[] | undefined>): void {
  const types = new Set<string>();
  conditions.each((condition) => {
    const type = condition.at("type");
    const isFinal = FINAL.includes(type.value ?? "");
    type.given();
    if (condition.at("status").given()) {
      condition.at("status").oneOf(isFinal ? ["True"] : ["False", "True", "Unknown"]);
    }
    type.uniqueIn(types);
  });
  if (DECISIONS.some((decision) => of(conditions.value, decision).length === 0)) return;
  const members = DECISIONS.map((decision) => `conditions[{"type": "${decision}"}]`);
  const quoted = members.map((member) => `\`${member}\``).join(", ");
  conditions.invalid(`must specify at most one of: ${quoted}`, `{${members.join(", ")}}`);
}

const of = (conditions: readonly SigningCondition[] = [], type: string): SigningCondition[] =>
  conditions.filter((condition) => condition.type === type);

/** The rule of changes through an endpoint: the certificate is issued in the status, once. */
const changeThrough = (endpoint: "update" | "status" | "approval") =>
  checkedChange<SigningRequest>((object, { status: old = {}, ...rest }) => {
    const conditions = object.at("status", "conditions");
    const certificate = object.at("status", "certificate");
    checkRequest(object, { status: old, ...rest });
    const mayNot = (verb: string, type: string, diff = ""): void => {
      conditions.forbidden(`updates may not ${verb} a condition of type ${quote(type)}${diff}`);
    };
    for (const type of FINAL) {
      if (of(conditions.value, type).length < of(old.conditions, type).length)
        mayNot("remove", type);
    }
    for (const type of endpoint === "approval" ? [] : DECISIONS) {
      const [now, before] = [of(conditions.value, type), of(old.conditions, type)];
      if (now.length > before.length) mayNot("add", type);
      else if (now.length === before.length && !sameJson(now, before)) {
        const form = "[]certificates.CertificateSigningRequestCondition";
        mayNot(
          "modify",
          type,
          `\n${unifiedDiff(internalForm(form, before), internalForm(form, now))}`,
        );
      }
    }
    const { certificate: before = "" } = old;
    if ((certificate.value ?? "") === before) return;
    if (endpoint !== "status") certificate.forbidden("updates may not set certificate content");
    else if (before !== "") {
      certificate.forbidden("updates may not modify existing certificate content");
    }
  });

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

/** The mistake in a certificate request. */
function requestProblem(base64: string): string | undefined {
  try {
    return readCertificateRequest(base64).signatureProblem;
  } catch (error) {
    return messageOf(error);
  }
}

/** The mistake in the certificates that a signer issued. */
function certificateProblem(base64: string): string | undefined {
  if (base64 === "") return undefined;
  const blocks = pemBlocks(textOf(base64));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") {
      return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    }
    if (hasHeaders) return "no PEM block headers are permitted";
    try {
      new X509Certificate(bytes);
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

export const certificateSigningRequestRules: KindRules = {
  name: "any",
  status: "all",
  prepareForCreate: prepareSigningRequestForCreate,
  prepareForUpdate(object: SigningRequest, old: SigningRequest) {
    // An update may change metadata only.
    object.spec = structuredClone(old.spec);
  },
  prepareForStatus: prepareSigningStatus,
  validateCreate: checked<SigningRequest>((object) => checkRequest(object)),
  validateUpdate: changeThrough("update"),
  validateStatus: changeThrough("status"),
  table: {
    SignerName: ["spec.signerName", "<none>"],
    Requestor: "spec.username",
    RequestedDuration: requestedDuration,
    Condition: requestCondition,
  },
  metadataChecks: ["whole", "change"],
  subresourceMetadataChecks: ["whole", "change"],
  selectsNoNamespace: true,
  selectableFields: fields("spec.signerName"),
  resetFields: {
    "": ["spec", "status"],
    status: ["spec", "status.conditions"],
    approval: ["spec", "status.certificate"],
  },
  writtenNulls: { spec: { request: null } },
  subresources: { approval: { take: takeConditions, validate: changeThrough("approval") } },
};
