/**
 * What happens to a CertificateSigningRequest on its way in: who asks is written down, and when somebody decided.
 *
 * @module
 */
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { WriteContext } from "../../kinds.ts";
import { timestampOf } from "./timestamp.ts";
import type { SigningCondition, SigningRequest } from "./validation/signing-requests.ts";

/** The request names its user, whatever it said itself. */
export function prepareSigningRequestForCreate(object: SentObject, context: WriteContext): void {
  const { spec } = object as SigningRequest;
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

/** An update changes metadata only. */
export function prepareSigningRequestForUpdate(object: SentObject, old: SentObject): void {
  (object as SigningRequest).spec = structuredClone((old as SigningRequest).spec);
}

/** A signer leaves the decisions as they are. */
export function prepareSigningStatus(
  object: SentObject,
  previous: SentObject,
  context: WriteContext,
): void {
  const conditions = (object as SigningRequest).status?.conditions ?? [];
  const before = (previous as SigningRequest).status?.conditions ?? [];
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

/** Gives conditions their times. */
export function stampConditions(
  conditions: readonly SigningCondition[],
  before: readonly SigningCondition[],
  context: WriteContext,
): void {
  const now = timestampOf(context.clock);
  for (const condition of conditions) {
    condition.lastUpdateTime ??= now;
    const same = before.find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime,
    );
    condition.lastTransitionTime ??= same?.lastTransitionTime ?? now;
  }
}
