/** Validation of the answer to a PodCertificateRequest: issued, denied or failed, once. */
import { X509Certificate } from "node:crypto";
import type { Check } from "../../../../../kube/check.ts";
import { NOT_SHOWN, quote } from "../../../../../kube/field-errors.ts";
import { sameJson } from "../../../../../kube/json.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { checkConditions as checkStandardConditions } from "../../../shared/conditions.ts";
import { pemBlocks } from "../../../../../kube/x509/pem.ts";
import { mayUseSigner } from "../../../shared/signers.ts";
import { type PodCertificateRequest, keyOf } from "./spec.ts";

type Status = NonNullable<PodCertificateRequest["status"]>;

/** The types of conditions that answer a request. */
export const STATES = ["Issued", "Denied", "Failed"];
const LARGEST_CHAIN = 100 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NS_OF_MS = 1_000_000;

/** Validates a write to the status; who changes it must have the right to sign for the signer. */
export function checkStatus(
  request: Check<PodCertificateRequest>,
  old: PodCertificateRequest,
  context: WriteContext,
): void {
  const status = request.child("status", request.value.status ?? {});
  const before = old.status ?? {};
  const isValid =
    status.passes((now) => checkConditions(now.at("conditions"))) &&
    status.passes((now) => checkTransition(now, old, context));
  const { signerName: signer = "" } = old.spec ?? {};
  if (!isValid || sameStatus(status.value, before)) return;
  if (mayUseSigner("sign", signer, (right) => context.may(right))) return;
  const user = quote(context.user.name);
  request
    .at("spec", "signerName")
    .forbidden(`User ${user} is not permitted to "sign" for signer ${quote(signer)}`);
}

function checkConditions(conditions: Check<Status["conditions"]>): void {
  let known = 0;
  conditions.each(({ value: { type, status } }, index) => {
    // The path has a dot before the index, which those of other lists do not have.
    const condition = conditions.child(`[${index}]`, { type, status });
    if (!STATES.includes(type)) {
      condition.at("type").notSupported(STATES);
      return;
    }
    known += 1;
    if (known > 1) {
      const names = '"Issued", "Denied", or "Failed"';
      condition.at("type").invalid(`There may be at most one condition with type ${names}`);
    }
    if (status !== "True") condition.at("status").notSupported(["True"]);
  });
  checkStandardConditions(conditions);
}

/** Validates what a status may become: an answer is final, and there is nothing between. */
function checkTransition(
  status: Check<Status>,
  old: PodCertificateRequest,
  context: WriteContext,
): void {
  const { status: before = {} } = old;
  const checkSame = (wanted: Status, detail: string): void => {
    if (!sameStatus(status.value, wanted)) status.invalid(detail, NOT_SHOWN);
  };
  const state = stateOf(status.value);
  if (stateOf(before) !== undefined) {
    checkSame(before, "immutable after PodCertificateRequest is issued, denied, or failed");
  } else if (state === undefined) {
    const states = '"Issued", "Denied", or "Failed"';
    checkSame(before, `status is immutable unless transitioning to ${states}`);
  } else if (state !== "Issued") {
    const { conditions } = status.value;
    checkSame(
      conditions ? { conditions } : {},
      "non-condition status fields must be empty when denying or failing the PodCertificateRequest",
    );
  } else checkIssued(status, old, context);
}

const stateOf = ({ conditions = [] }: Status): string | undefined =>
  conditions.find(({ type, status }) => STATES.includes(type) && status === "True")?.type;

/** Empty fields are absent ones. */
function sameStatus(one: Status, other: Status): boolean {
  const given = ({ conditions = [], certificateChain = "", ...times }: Status): unknown => ({
    conditions,
    certificateChain,
    ...times,
  });
  return sameJson(given(one), given(other));
}

function checkIssued(
  status: Check<Status>,
  { spec = {} }: PodCertificateRequest,
  context: WriteContext,
): void {
  const chain = status.at("certificateChain");
  const { value: text = "" } = chain;
  if (Buffer.byteLength(text) > LARGEST_CHAIN) {
    chain.tooLong(LARGEST_CHAIN);
    return;
  }
  const [first, ...rest] = pemBlocks(text);
  const refuse = (detail: string): void => chain.invalid(detail, text);
  if (!first) {
    refuse("issued certificate chain must contain at least one certificate");
    return;
  }
  if (first.type !== "CERTIFICATE") {
    refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
    return;
  }
  const leaf = certificateOf(first.bytes);
  if (!leaf) {
    refuse("leaf certificate does not parse as valid X.509");
    return;
  }
  if (!keyOf(spec.stubPKCS10Request ?? "")?.key.equals(leaf.publicKey)) {
    refuse("leaf certificate was not issued to the requested public key");
    return;
  }
  const isFitting = status.passes((now) => {
    if (now.passes(checkTimesGiven)) checkTimes(now, leaf, spec, context);
  });
  if (!isFitting) return;
  for (const { type, bytes } of rest) {
    if (type !== "CERTIFICATE") {
      refuse("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
      return;
    }
    if (!certificateOf(bytes)) {
      refuse("intermediate certificate does not parse as valid X.509");
      return;
    }
  }
}

function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    // The server does not tell either what is wrong inside of a certificate.
    return undefined;
  }
}

function checkTimesGiven(status: Check<Status>): void {
  const consistent = "must be present and consistent with the issued certificate";
  status.at("notBefore").given(consistent);
  status.at("notAfter").given(consistent);
  status
    .at("beginRefreshAt")
    .given("must be present and in the range [notbefore+10min, notafter-10min]");
}

/** Validates the times against those of the certificate; the first mistake is told. */
function checkTimes(
  status: Check<Status>,
  leaf: X509Certificate,
  { maxExpirationSeconds = 0 }: NonNullable<PodCertificateRequest["spec"]>,
  { clock }: WriteContext,
): void {
  const { notBefore = "", notAfter = "", beginRefreshAt = "" } = status.value;
  const [from, until, refresh] = [notBefore, notAfter, beginRefreshAt].map(Date.parse) as [
    number,
    number,
    number,
  ];
  const [leafFrom, leafUntil] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const lifetimeMs = leafUntil - leafFrom;
  const chain = status.at("certificateChain").as(lifetimeMs * NS_OF_MS);
  if (from !== leafFrom) {
    const detail = "must be set to the NotBefore time encoded in the leaf certificate";
    status.at("notBefore").invalid(detail);
  } else if (Math.abs(from - clock.now()) >= 5 * MINUTE_MS) {
    const detail = "must be set to within 5 minutes of kube-apiserver's current time";
    status.at("notBefore").invalid(detail);
  } else if (until !== leafUntil) {
    const detail = "must be set to the NotAfter time encoded in the leaf certificate";
    status.at("notAfter").invalid(detail);
  } else if (lifetimeMs < HOUR_MS) {
    chain.invalid("leaf certificate lifetime must be >= 1 hour");
  } else if (lifetimeMs > maxExpirationSeconds * 1000) {
    const limit = `spec.maxExpirationSeconds (${maxExpirationSeconds})`;
    chain.invalid(`leaf certificate lifetime must be <= ${limit}`);
  } else if (refresh < from + 10 * MINUTE_MS) {
    status.at("beginRefreshAt").invalid("must be at least 10 minutes after status.notBefore");
  } else if (refresh > until - 10 * MINUTE_MS) {
    status.at("beginRefreshAt").invalid("must be at least 10 minutes before status.notAfter");
  }
}
