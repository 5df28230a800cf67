/** Validation that the kinds of RBAC share. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { LabelSelector } from "../../shared/shapes.ts";

const GROUP = "rbac.authorization.k8s.io";

interface Rule {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role extends SentObject {
  rules?: Rule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

export interface Binding extends SentObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: { kind: string; apiGroup?: string; name: string; namespace?: string }[];
}

export function rulesErrors(object: Role, namespaced: boolean): FieldError[] {
  return (object.rules ?? []).flatMap((rule, index) => {
    const at = `rules[${index}]`;
    const {
      verbs,
      apiGroups = [],
      resources = [],
      resourceNames = [],
      nonResourceURLs = [],
    } = rule;
    const errors: FieldError[] = [];
    if ((verbs ?? []).length === 0) {
      errors.push(required(`${at}.verbs`, "verbs must contain at least one value"));
    }
    if (nonResourceURLs.length > 0) {
      const field = `${at}.nonResourceURLs`;
      if (namespaced) {
        errors.push(
          invalidValue(
            field,
            nonResourceURLs,
            "namespaced rules cannot apply to non-resource URLs",
          ),
        );
      }
      if (apiGroups.length + resources.length + resourceNames.length > 0) {
        errors.push(
          invalidValue(
            field,
            nonResourceURLs,
            "rules cannot apply to both regular resources and non-resource URLs",
          ),
        );
      }
      return errors;
    }
    if (apiGroups.length === 0) {
      errors.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
    }
    if (resources.length === 0) {
      errors.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
    }
    return errors;
  });
}

export function bindingErrors(
  object: Binding,
  kinds: readonly string[],
  namespaced: boolean,
): FieldError[] {
  const { roleRef, subjects = [] } = object;
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== GROUP) {
    errors.push(notSupported("roleRef.apiGroup", roleRef.apiGroup, [GROUP]));
  }
  if (!kinds.includes(roleRef.kind)) {
    errors.push(notSupported("roleRef.kind", roleRef.kind, kinds));
  }
  if (roleRef.name === "") errors.push(required("roleRef.name"));
  else
    errors.push(...nameErrorsAt("roleRef.name", roleRef.name, (name) => pathSegmentErrors(name)));
  for (const [index, subject] of subjects.entries()) {
    const at = `subjects[${index}]`;
    const { kind, name, apiGroup = "", namespace = "" } = subject;
    if (name === "") errors.push(required(`${at}.name`));
    if (kind === "ServiceAccount") {
      if (name !== "") errors.push(...nameErrorsAt(`${at}.name`, name, dns1123SubdomainErrors));
      if (apiGroup !== "") errors.push(notSupported(`${at}.apiGroup`, apiGroup, [""]));
      if (!namespaced && namespace === "") errors.push(required(`${at}.namespace`));
    } else if (kind === "User" || kind === "Group") {
      if (apiGroup !== GROUP) errors.push(notSupported(`${at}.apiGroup`, apiGroup, [GROUP]));
    } else {
      errors.push(notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"]));
    }
  }
  return errors;
}

export function bindingUpdateErrors(object: Binding, old: Binding): FieldError[] {
  const { roleRef } = object;
  if (sameJson(roleRef, old.roleRef)) return [];
  const shown = { APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name };
  return [invalidValue("roleRef", shown, "field is immutable")];
}
