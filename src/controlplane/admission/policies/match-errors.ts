/**
 * Errors of bindings of admission policies, and of the match resources of policies and bindings.
 *
 * @see https://pkg.go.dev/k8s.io/kubernetes/pkg/apis/admissionregistration/validation
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  required,
  nameErrorsAt,
} from "../../../kube/field-errors.ts";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../kube/names.ts";
import { selectorErrors } from "../../../kube/selectors/selector-rules.ts";
import {
  optionalWord,
  ruleErrors,
  type WebhookRule,
} from "../../../kube/webhooks/webhook-rules.ts";
import type { MatchResources, ParamRef } from "../../../generated/k8s/admissionregistration-v1.ts";
import type { Binding } from "./policy.ts";

const MUTATED_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];
const ACTIONS = ["Audit", "Deny", "Warn"];

/** All errors of a ValidatingAdmissionPolicyBinding. */
export function validatingBindingErrors(object: Binding): FieldError[] {
  const { validationActions } = object.spec;
  return [...bindingErrors(object), ...actionErrors(validationActions, "spec.validationActions")];
}

/** All errors of a MutatingAdmissionPolicyBinding. */
export function mutatingBindingErrors(object: Binding): FieldError[] {
  const rules = object.spec.matchResources?.resourceRules ?? [];
  return [...bindingErrors(object), ...mutatedOperationErrors(rules, "spec.matchResources")];
}

function bindingErrors(object: Binding): FieldError[] {
  const { policyName, paramRef, matchResources } = object.spec;
  return [
    ...(policyName
      ? nameErrorsAt("spec.policyName", policyName, dns1123SubdomainErrors)
      : [required("spec.policyName")]),
    ...(paramRef ? paramRefErrors(paramRef, "spec.paramRef") : []),
    ...(matchResources ? matchErrors(matchResources, "spec.matchResources") : []),
  ];
}

function paramRefErrors(reference: ParamRef, path: string): FieldError[] {
  const { name = "", selector, parameterNotFoundAction = "" } = reference;
  const errors: FieldError[] = [];
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    errors.push(...nameErrorsAt(`${path}.name`, name, (one) => pathSegmentErrors(one)));
    if (selector) errors.push(forbidden(`${path}.name`, exclusive));
  }
  if (selector) {
    errors.push(...selectorErrors(`${path}.selector`, selector));
    if (name !== "") errors.push(forbidden(`${path}.selector`, exclusive));
  }
  if (name === "" && !selector) {
    errors.push(required(path, "one of name or selector must be specified"));
  }
  const field = `${path}.parameterNotFoundAction`;
  if (parameterNotFoundAction === "") return [...errors, required(field)];
  return [...errors, ...optionalWord(field, parameterNotFoundAction, ["Deny", "Allow"])];
}

function actionErrors(given: readonly string[] | null | undefined, path: string): FieldError[] {
  const actions = given ?? [];
  const errors = actions.flatMap((action, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(ACTIONS.includes(action) ? [] : [notSupported(at, action, ACTIONS)]),
      ...(actions.indexOf(action) < index ? [duplicate(at, action)] : []),
    ];
  });
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const rule =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalidValue(path, actions, rule));
  }
  if (actions.length > 0) return errors;
  return [...errors, required(path, "at least one validation action is required")];
}

/** Errors of the match resources of a policy or a binding. */
export function matchErrors(match: MatchResources, path: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  return [
    ...(matchPolicy === undefined
      ? [required(`${path}.matchPolicy`)]
      : optionalWord(`${path}.matchPolicy`, matchPolicy, ["Equivalent", "Exact"])),
    ...selectorErrors(`${path}.namespaceSelector`, namespaceSelector),
    ...selectorErrors(`${path}.objectSelector`, objectSelector),
    ...namedRuleErrors(match.resourceRules, `${path}.resourceRules`),
    ...namedRuleErrors(match.excludeResourceRules, `${path}.excludeResourceRules`),
  ];
}

function namedRuleErrors(
  rules: readonly WebhookRule[] | null | undefined,
  path: string,
): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => {
    const at = `${path}[${index}]`;
    const names = rule.resourceNames ?? [];
    return [
      ...names.flatMap((name, position) => {
        const field = `${at}.resourceNames[${position}]`;
        return [
          ...nameErrorsAt(field, name, (one) => pathSegmentErrors(one)),
          ...(names.indexOf(name) < position ? [duplicate(field, name)] : []),
        ];
      }),
      ...ruleErrors(at, rule),
    ];
  });
}

/** Errors of the operations of rules: mutations apply to creates, updates and connections only. */
export function mutatedOperationErrors(rules: readonly WebhookRule[], path: string): FieldError[] {
  const field = `${path}.resourceRules.operations`;
  return rules.flatMap(({ operations }) =>
    (operations ?? []).flatMap((operation) =>
      MUTATED_OPERATIONS.includes(operation)
        ? []
        : [notSupported(field, operation, MUTATED_OPERATIONS)],
    ),
  );
}
