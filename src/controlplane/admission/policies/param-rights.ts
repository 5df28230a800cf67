/**
 * The rights that authors of policies with parameters, and of bindings to parameters, must have: to
 * read these.
 */
import { sameJson } from "../../../kube/json.ts";
import { type FieldError, forbidden } from "../../../kube/field-errors.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import type { User, WriteContext } from "../../kinds.ts";
import type { ResourceName } from "../../resource-name.ts";
import type { ParamKind } from "../../../generated/k8s/admissionregistration-v1.ts";
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
  const { group, version } = parseApiVersion(apiVersion);
  const resource = context.pluralOf(group, version, kind) ?? "*";
  const place = { group, version, resource, subresource: "", namespace: "*", name: "*" };
  if (context.may({ verb: "get", ...place })) return [];
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

interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

const ANYWHERE: Place = { group: "*", version: "*", resource: "*" };

/** The resource of a policy's parameters, or the reason why it is not known. */
function placeOf(
  policy: Policy | undefined,
  name: string,
  context: WriteContext,
): { readonly place: Place; readonly unknown?: string } {
  if (!policy) return { place: ANYWHERE, unknown: `unable to get policy ${name}` };
  const { paramKind } = policy.spec;
  if (!paramKind) return { place: ANYWHERE };
  const { kind = "", apiVersion = "" } = paramKind;
  const { group, version } = parseApiVersion(apiVersion);
  const resource = context.pluralOf(group, version, kind);
  if (resource !== undefined) return { place: { group, version, resource } };
  return {
    place: { group, version, resource: "*" },
    unknown: `unable to resolve paramKind ${goParamKind(paramKind)}`,
  };
}

const goParamKind = ({ apiVersion, kind }: ParamKind): string =>
  `&ParamKind{Kind:${kind},APIVersion:${apiVersion},}`;

/** A user as Go prints the struct. */
function goUser({ name, uid = "", groups, extra = {} }: User): string {
  const more = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${more.join(" ")}]}`;
}
