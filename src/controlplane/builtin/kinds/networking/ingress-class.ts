/** Rules of the kind IngressClass. */
import {
  type FieldError,
  forbidden,
  nameErrorsAt,
  notSupported,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, textAt } from "../../at.ts";
import { domainPrefixedPathErrors, immutable } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, defaultNameColumn, printer, textColumn } from "../../tables/column.ts";
import { referenceErrors } from "./shared.ts";

function setIngressClassDefaults(object: IngressClass): void {
  const { parameters } = object.spec;
  if (parameters) parameters.scope ??= "Cluster";
}

interface IngressClass extends SentObject {
  spec: {
    controller?: string;
    parameters?: {
      apiGroup?: string;
      kind: string;
      name: string;
      scope?: string;
      namespace?: string;
    };
  };
}

const MAX_CONTROLLER = 250;
const SCOPES = ["Cluster", "Namespace"];

function ingressClassErrors(object: IngressClass): FieldError[] {
  const { controller = "", parameters } = object.spec;
  const errors =
    controller.length > MAX_CONTROLLER ? [tooLong("spec.controller", MAX_CONTROLLER)] : [];
  errors.push(...domainPrefixedPathErrors("spec.controller", controller));
  if (!parameters) return errors;
  const at = "spec.parameters";
  errors.push(...referenceErrors(at, parameters));
  const { scope, namespace } = parameters;
  if (scope === undefined) return [...errors, required(`${at}.scope`)];
  if (!SCOPES.includes(scope)) return [...errors, notSupported(`${at}.scope`, scope, SCOPES)];
  if (scope === "Cluster") {
    return namespace === undefined
      ? errors
      : [...errors, forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")];
  }
  return namespace === undefined
    ? [...errors, required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")]
    : [...errors, ...nameErrorsAt(`${at}.namespace`, namespace, dns1123LabelErrors)];
}

function ingressClassUpdateErrors(object: IngressClass, previous: IngressClass): FieldError[] {
  const controllerOf = (target: IngressClass): string => target.spec.controller ?? "";
  return [
    ...immutable("spec.controller", controllerOf(object), controllerOf(previous)),
    ...ingressClassErrors(object),
  ];
}

function ingressParameters(ingressClass: SentObject): string {
  if (!at(ingressClass, "spec.parameters")) return "<none>";
  const group = textAt(ingressClass, "spec.parameters.apiGroup");
  const kind = textAt(ingressClass, "spec.parameters.kind");
  const name = textAt(ingressClass, "spec.parameters.name");
  return `${kind}${group === "" ? "" : `.${group}`}/${name}`;
}

/** The rules of IngressClasses. */
export const ingressClassRules: KindRules = {
  validateCreate: ingressClassErrors,
  validateUpdate: ingressClassUpdateErrors,
  generation: ["spec"],
  setDefaults: setIngressClassDefaults,
  table: printer([
    defaultNameColumn("ingressclass.kubernetes.io/is-default-class"),
    textColumn("Controller", "spec.controller"),
    column("Parameters", ingressParameters),
    ageColumn,
  ]),
  metadataChecks: ["change", "whole"],
  columnTexts: {
    Controller: "Controller that is responsible for handling this class",
    Parameters: "A reference to a resource with additional parameters",
  },
};
