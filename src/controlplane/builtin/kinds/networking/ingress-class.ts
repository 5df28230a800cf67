import type {
  IngressClass as IngressClassKind,
  IngressClassParametersReference,
} from "../../../../generated/k8s/networking-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, textAt } from "../../at.ts";
import { checkDomainPrefixedPath, checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { defaultNameCell } from "../../tables/cells.ts";
import { checkReference } from "./reference-validation.ts";

type IngressClass = Sent<IngressClassKind>;

const MAX_CONTROLLER = 250;
const SCOPES = ["Cluster", "Namespace"];

function checkIngressClass(object: Check<IngressClass>): void {
  const controller = object.at("spec", "controller");
  if ((controller.value ?? "").length > MAX_CONTROLLER) controller.tooLong(MAX_CONTROLLER);
  checkDomainPrefixedPath(controller);
  object.at("spec", "parameters").ifSet(checkParameters);
}

function checkParameters(parameters: Check<Loose<IngressClassParametersReference>>): void {
  checkReference(parameters);
  const scope = parameters.at("scope");
  const namespace = parameters.at("namespace");
  if (scope.value === undefined) scope.required();
  else if (!SCOPES.includes(scope.value)) scope.notSupported(SCOPES);
  else if (scope.value === "Cluster") {
    namespace.ifSet(() => namespace.forbidden("`parameters.scope` is set to 'Cluster'"));
  } else if (namespace.value === undefined) {
    namespace.required("`parameters.scope` is set to 'Namespace'");
  } else namespace.named(dns1123LabelErrors);
}

function checkChange(object: Check<IngressClass>, old: IngressClass): void {
  const controller = object.child("spec.controller", object.value.spec?.controller ?? "");
  controller.unchanged(old.spec?.controller ?? "");
  checkIngressClass(object);
}

function ingressParameters(ingressClass: SentObject): string {
  if (!at(ingressClass, "spec.parameters")) return "<none>";
  const group = textAt(ingressClass, "spec.parameters.apiGroup");
  const kind = textAt(ingressClass, "spec.parameters.kind");
  const name = textAt(ingressClass, "spec.parameters.name");
  return `${kind}${group === "" ? "" : `.${group}`}/${name}`;
}

export const ingressClassRules: KindRules = {
  validateCreate: checked(checkIngressClass),
  validateUpdate: checkedChange(checkChange),
  generation: ["spec"],
  setDefaults({ spec }: IngressClass) {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  table: {
    Name: defaultNameCell("ingressclass.kubernetes.io/is-default-class"),
    Controller: "spec.controller",
    Parameters: ingressParameters,
  },
  metadataChecks: ["change", "whole"],
};
