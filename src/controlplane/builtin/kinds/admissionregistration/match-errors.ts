/**
 * Errors of bindings of admission policies, and of the match resources of policies and bindings.
 *
 * @see https://pkg.go.dev/k8s.io/kubernetes/pkg/apis/admissionregistration/validation
 */
import type {
  MatchResources,
  NamedRuleWithOperations,
  ParamRef,
} from "../../../../generated/k8s/admissionregistration-v1.ts";
import { Check } from "../../../../kube/check.ts";
import type { FieldError } from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../../kube/names.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { ruleErrors } from "../../../../kube/webhooks/webhook-rules.ts";
import type { Binding } from "./policy.ts";

/** All errors of a ValidatingAdmissionPolicyBinding. */
export const validatingBindingErrors = ({ spec }: Binding): FieldError[] =>
  Check.errorsOf(
    spec,
    (binding) => {
      checkBinding(binding);
      checkActions(binding.at("validationActions"));
    },
    "spec",
  );

/** All errors of a MutatingAdmissionPolicyBinding. */
export const mutatingBindingErrors = ({ spec }: Binding): FieldError[] =>
  Check.errorsOf(
    spec,
    (binding) => {
      checkBinding(binding);
      checkMutatedOperations(binding.at("matchResources"));
    },
    "spec",
  );

function checkBinding(binding: Check<Binding["spec"]>): void {
  binding.at("policyName").givenName(dns1123SubdomainErrors);
  binding.at("paramRef").ifSet(checkParamRef);
  binding.at("matchResources").ifSet(checkMatch);
}

function checkParamRef(reference: Check<ParamRef>): void {
  const { name, selector } = reference.value;
  const exclusive = "name and selector are mutually exclusive";
  reference.at("name").nameIfGiven(pathSegmentErrors);
  if (name && selector) reference.at("name").forbidden(exclusive);
  reference.at("selector").by(selectorErrors);
  if (name && selector) reference.at("selector").forbidden(exclusive);
  if (!name && !selector) reference.required("one of name or selector must be specified");
  const action = reference.at("parameterNotFoundAction");
  if (action.given()) action.oneOf(["Deny", "Allow"]);
}

function checkActions(actions: Check<readonly string[] | null | undefined>): void {
  const seen = new Set<unknown>();
  actions.each((action) => {
    action.oneOf(["Audit", "Deny", "Warn"]);
    action.uniqueIn(seen);
  });
  if (["Deny", "Warn"].every((action) => actions.value?.includes(action))) {
    actions.invalid(
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  }
  actions.given("at least one validation action is required");
}

export function checkMatch(match: Check<MatchResources>): void {
  match.at("matchPolicy").oneOf(["Equivalent", "Exact"]);
  match.at("namespaceSelector").by(selectorErrors);
  match.at("objectSelector").by(selectorErrors);
  match.at("resourceRules").each(checkRule);
  match.at("excludeResourceRules").each(checkRule);
}

function checkRule(rule: Check<NamedRuleWithOperations>): void {
  const seen = new Set<string>();
  rule.at("resourceNames").each((name) => {
    name.named(pathSegmentErrors);
    name.uniqueIn(seen);
  });
  rule.by(ruleErrors);
}

/** Checks the operations of rules: mutations apply to creates, updates and connections only. */
export function checkMutatedOperations(match: Check<MatchResources | undefined>): void {
  for (const { operations } of match.value?.resourceRules ?? []) {
    for (const operation of operations ?? []) {
      match
        .child("resourceRules.operations", operation)
        .oneOf(["*", "CONNECT", "CREATE", "UPDATE"]);
    }
  }
}
