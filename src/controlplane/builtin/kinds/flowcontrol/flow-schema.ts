/** Rules of the kind FlowSchema. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, listAt, numberAt, textAt } from "../../at.ts";
import { internalForm } from "../../strategies/go-internal.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  ageColumn,
  column,
  conditionOf,
  nameColumn,
  printer,
  textColumn,
} from "../../tables/column.ts";
import { flowStatusErrors } from "./shared.ts";

interface FlowSchema extends SentObject {
  spec: { matchingPrecedence?: number };
}

function setFlowSchemaDefaults(object: FlowSchema): void {
  const { spec } = object;
  if (!spec.matchingPrecedence) spec.matchingPrecedence = 1000;
}

const VERBS = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];

const HIGHEST_PRECEDENCE = 10_000;
const KINDS = ["Group", "ServiceAccount", "User"];

/** Validates a FlowSchema. */
function flowSchemaErrors(object: SentObject): FieldError[] {
  const precedence = numberAt(object, "spec.matchingPrecedence");
  const errors: FieldError[] = [];
  const refuse = (detail: string): void => {
    errors.push(invalidValue("spec.matchingPrecedence", precedence, detail));
  };
  if (precedence <= 0) refuse("must be a positive value");
  if (precedence > HIGHEST_PRECEDENCE) refuse(`must not be greater than ${HIGHEST_PRECEDENCE}`);
  if (precedence === 1 && object.metadata.name !== "exempt") {
    refuse("only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const method = at(object, "spec.distinguisherMethod");
  const methods = ["ByNamespace", "ByUser"];
  if (method !== undefined && !methods.includes(textAt(method, "type"))) {
    const shown = internalForm("flowcontrol.FlowDistinguisherMethod", method);
    errors.push(notSupported("spec.distinguisherMethod.type", shown, methods));
  }
  const level = textAt(object, "spec.priorityLevelConfiguration.name");
  const field = "spec.priorityLevelConfiguration.name";
  errors.push(
    ...(level === ""
      ? [required(field, "must reference a priority level")]
      : nameErrorsAt(field, level, dns1123SubdomainErrors)),
  );
  for (const [index, rule] of listAt(object, "spec.rules").entries()) {
    errors.push(...ruleErrors(`spec.rules[${index}]`, rule));
  }
  return [...errors, ...flowStatusErrors(object)];
}

function ruleErrors(field: string, rule: unknown): FieldError[] {
  const subjects = listAt(rule, "subjects");
  const resources = listAt(rule, "resourceRules");
  const paths = listAt(rule, "nonResourceRules");
  return [
    ...(subjects.length === 0
      ? [required(`${field}.subjects`, "subjects must contain at least one value")]
      : subjects.flatMap((subject, index) =>
          subjectErrors(`${field}.subjects[${index}]`, subject),
        )),
    ...(resources.length === 0 && paths.length === 0
      ? [required(field, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...resources.flatMap((one, index) => resourceErrors(`${field}.resourceRules[${index}]`, one)),
    ...paths.flatMap((one, index) => pathErrors(`${field}.nonResourceRules[${index}]`, one)),
  ];
}

function subjectErrors(field: string, subject: unknown): FieldError[] {
  const kind = textAt(subject, "kind");
  if (!KINDS.includes(kind)) return [notSupported(`${field}.kind`, kind, KINDS)];
  const partOf = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
  const part = partOf(kind);
  const where = `${field}.${part}`;
  const own = at(subject, part);
  const name = textAt(own, "name");
  const errors: FieldError[] = [];
  if (own === undefined) {
    errors.push(required(where, `${part} is required when subject kind is '${kind}'`));
  } else if (name === "") errors.push(required(`${where}.name`));
  else if (part === "serviceAccount" && name !== "*") {
    errors.push(...nameErrorsAt(`${where}.name`, name, dns1123SubdomainErrors));
  }
  if (own !== undefined && part === "serviceAccount") {
    const namespace = textAt(own, "namespace");
    errors.push(
      ...(namespace === ""
        ? [required(`${where}.namespace`, "must specify namespace for service account")]
        : nameErrorsAt(`${where}.namespace`, namespace, dns1123LabelErrors)),
    );
  }
  const others = ["ServiceAccount", "User", "Group"].filter((other) => other !== kind);
  return [
    ...errors,
    ...others.flatMap((other) =>
      at(subject, partOf(other)) === undefined
        ? []
        : [
            forbidden(
              `${field}.${partOf(other)}`,
              `${partOf(other)} is forbidden when subject kind is not '${other}'`,
            ),
          ],
    ),
  ];
}

function verbErrors(field: string, rule: unknown): FieldError[] {
  const verbs = listAt(rule, "verbs");
  if (verbs.length === 0) return [required(field, "verbs must contain at least one value")];
  if (verbs.includes("*")) {
    const detail = "if '*' is present, must not specify other verbs";
    return verbs.length > 1 ? [invalidValue(field, verbs, detail)] : [];
  }
  return verbs.every((verb) => VERBS.includes(String(verb)))
    ? []
    : [notSupported(field, verbs, VERBS)];
}

function resourceErrors(field: string, rule: unknown): FieldError[] {
  const errors = verbErrors(`${field}.verbs`, rule);
  for (const [part, one, many] of [
    ["apiGroups", "api group", "api groups"],
    ["resources", "resource", "resources"],
  ] as const) {
    const list = listAt(rule, part);
    const where = `${field}.${part}`;
    if (list.length === 0) {
      errors.push(required(where, `resource rules must supply at least one ${one}`));
    } else if (list.length > 1 && list.includes("*")) {
      const detail = `if '*' is present, must not specify other ${many}`;
      errors.push(invalidValue(where, list, detail));
    }
  }
  const namespaces = listAt(rule, "namespaces");
  const where = `${field}.namespaces`;
  if (namespaces.length === 0 && at(rule, "clusterScope") !== true) {
    const detail = "resource rules that are not cluster scoped must supply at least one namespace";
    return [...errors, required(where, detail)];
  }
  if (namespaces.includes("*")) {
    const detail = "if '*' is present, must not specify other namespaces";
    return namespaces.length > 1 ? [...errors, invalidValue(where, namespaces, detail)] : errors;
  }
  return [
    ...errors,
    ...namespaces.flatMap((name, index) =>
      dns1123LabelErrors(String(name)).map((detail) =>
        invalidValue(
          `${where}[${index}]`,
          name,
          `each member of this list must be '*' or a DNS-1123 label; ${detail}`,
        ),
      ),
    ),
  ];
}

function pathErrors(field: string, rule: unknown): FieldError[] {
  const errors = verbErrors(`${field}.verbs`, rule);
  const urls = listAt(rule, "nonResourceURLs");
  const where = `${field}.nonResourceURLs`;
  if (urls.length === 0) {
    const detail = "nonResourceURLs must contain at least one value";
    return [...errors, required(where, detail)];
  }
  if (urls.includes("*")) {
    const detail = "if '*' is present, must not specify other non-resource URLs";
    return urls.length > 1 ? [...errors, invalidValue(where, urls, detail)] : errors;
  }
  return [...errors, ...urls.flatMap((url, index) => urlErrors(`${where}[${index}]`, String(url)))];
}

function urlErrors(field: string, url: string): FieldError[] {
  const refuse = (detail: string): FieldError[] => [invalidValue(field, url, detail)];
  if (url === "") return refuse("must not be empty");
  if (url === "/") return [];
  if (!url.startsWith("/")) return refuse("must start with slash");
  if (url.includes(" ")) return refuse("must not contain white-space");
  if (url.includes("//")) return refuse("must not contain double slash");
  const bare = url.endsWith("/*") ? url.slice(0, -2) : url;
  return bare.includes("*") ? refuse("wildcard can only do suffix matching") : [];
}

function dangling(flow: SentObject): string {
  const condition = conditionOf(flow, "Dangling");
  return condition ? textAt(condition, "status") : "?";
}

/** The rules of FlowSchemas. */
export const flowSchemaRules: KindRules = {
  status: "none",
  generation: ["spec"],
  setDefaults: setFlowSchemaDefaults,
  validate: flowSchemaErrors,
  validateStatus: flowStatusErrors,
  table: printer([
    nameColumn,
    textColumn("PriorityLevel", "spec.priorityLevelConfiguration.name"),
    column("MatchingPrecedence", (object) => numberAt(object, "spec.matchingPrecedence")),
    textColumn("DistinguisherMethod", "spec.distinguisherMethod.type", "<none>"),
    ageColumn,
    column("MissingPL", dangling),
  ]),
  metadataChecks: ["whole"],
  resetFields: { status: ["spec", "metadata"] },
  columnFields: {
    PriorityLevel: "flowcontrol.v1.PriorityLevelConfigurationReference.name",
    MatchingPrecedence: "flowcontrol.v1.FlowSchemaSpec.matchingPrecedence",
    DistinguisherMethod: "flowcontrol.v1.FlowSchemaSpec.distinguisherMethod",
  },
  columnTexts: {
    MissingPL: "references a broken or non-existent PriorityLevelConfiguration",
  },
};
