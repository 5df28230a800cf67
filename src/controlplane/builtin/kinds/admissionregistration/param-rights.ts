/**
 * The rights that authors of policies with parameters, and of bindings to parameters, must have: to
 * read these.
 */
import { sameJson } from "../../../../kube/json.ts";
import { type FieldError, forbidden } from "../../../../kube/field-errors.ts";
import { parseApiVersion } from "../../../../kube/resource.ts";
import type { User, WriteContext } from "../../../kinds.ts";
import type { ResourceName } from "../../../resource-name.ts";
import type { ParamKind } from "../../../../generated/k8s/admissionregistration-v1.ts";
import type { Binding, Policy } from "./policy.ts";

/** Errors of a valid policy whose author lacks rights to its parameters. */
export function paramKindRights(
  object: Policy,
  old: Policy | undefined,
  context: WriteContext,
): FieldError[] {
  const { paramKind } = object.spec;
  const before = old?.spec.paramKind;
  if (!paramKind || sameJson(paramKind, before)) return [];
  const { kind = "", apiVersion = "" } = paramKind;
  const place = resourceOf(paramKind, context);
  const right = { verb: "get", ...place, subresource: "", namespace: "*", name: "*" };
  if (context.may(right)) return [];
  const rule = `user ${goUser(context.user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  return [forbidden("spec.paramKind", rule)];
}

/**
 * Errors of a valid binding whose author lacks rights to its parameters.
 *
 * @param policies - the plural of its policies
 */
export function paramRefRights(
  object: Binding,
  context: WriteContext,
  policies: ResourceName<Policy>,
): FieldError[] {
  const { paramRef, policyName = "" } = object.spec;
  if (!paramRef) return [];
  const policy = context.find(policies, { name: policyName });
  const { name = "", namespace = "" } = paramRef;
  const verb = name === "" ? "list" : "get";
  const { place, unknown } = placeOf(policy, policyName, context);
  if (context.may({ verb, ...place, subresource: "", namespace, name })) return [];
  const user = goUser(context.user);
  const why =
    unknown === undefined
      ? `user ${user} does not have "${verb}" permission on the object referenced by paramRef`
      : `${unknown} to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`;
  return [forbidden("spec.paramRef", why)];
}

/** The resource of a kind of parameters; all of its group and version when it is not known. */
function resourceOf({ kind = "", apiVersion = "" }: ParamKind, context: WriteContext) {
  const { group, version } = parseApiVersion(apiVersion);
  return { group, version, resource: context.pluralOf(group, version, kind) ?? "*" };
}

/** The resource of a policy's parameters, and the reason why it is not known. */
function placeOf(policy: Policy | undefined, name: string, context: WriteContext) {
  const paramKind = policy?.spec.paramKind;
  const place = paramKind
    ? resourceOf(paramKind, context)
    : { group: "*", version: "*", resource: "*" };
  if (!policy) return { place, unknown: `unable to get policy ${name}` };
  if (!paramKind || place.resource !== "*") return { place };
  const { kind = "", apiVersion = "" } = paramKind;
  const shown = `&ParamKind{Kind:${kind},APIVersion:${apiVersion},}`;
  return { place, unknown: `unable to resolve paramKind ${shown}` };
}

/** A user as Go prints the struct. */
function goUser({ name, uid = "", groups, extra = {} }: User): string {
  const more = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${more.join(" ")}]}`;
}
