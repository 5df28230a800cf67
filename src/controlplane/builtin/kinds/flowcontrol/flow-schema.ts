import type {
  FlowSchema as FlowSchemaKind,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from "../../../../generated/k8s/flowcontrol-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { textAt } from "../../at.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";
import { conditionOf } from "../../tables/cells.ts";
import { checkFlowStatus } from "./flow-status.ts";

type FlowSubject = NonNullable<PolicyRulesWithSubjects["subjects"]>[number];

type FlowSchema = Sent<FlowSchemaKind> & { spec: Loose<FlowSchemaSpec> };

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

function checkFlowSchema(schema: Check<FlowSchema>): void {
  const spec = schema.at("spec");
  const precedence = spec.child("matchingPrecedence", spec.value.matchingPrecedence ?? 0);
  if (precedence.value <= 0) precedence.invalid("must be a positive value");
  if (precedence.value > HIGHEST_PRECEDENCE) {
    precedence.invalid(`must not be greater than ${HIGHEST_PRECEDENCE}`);
  }
  if (precedence.value === 1 && schema.value.metadata.name !== "exempt") {
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1");
  }
  spec.at("distinguisherMethod").ifSet((method) => {
    const methods = ["ByNamespace", "ByUser"];
    if (methods.includes(method.value.type ?? "")) return;
    const shown = internalForm("flowcontrol.FlowDistinguisherMethod", method.value);
    method.at("type").notSupported(methods, shown);
  });
  const level = spec.at("priorityLevelConfiguration", "name");
  if (level.given("must reference a priority level")) level.named(dns1123SubdomainErrors);
  spec.at("rules").each(checkRule);
  checkFlowStatus(schema);
}

function checkRule(rule: Check<Loose<PolicyRulesWithSubjects>>): void {
  const { resourceRules = [], nonResourceRules = [] } = rule.value;
  rule.at("subjects").given("subjects must contain at least one value");
  rule.at("subjects").each(checkSubject);
  if (resourceRules.length + nonResourceRules.length === 0) {
    rule.required("at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  rule.at("resourceRules").each(checkResources);
  rule.at("nonResourceRules").each(checkPaths);
}

function checkSubject(subject: Check<Loose<FlowSubject>>): void {
  const { kind, user, group, serviceAccount } = subject.value;
  if (kind === "User") checkOwner(subject.at("user"), "user", kind);
  else if (kind === "Group") checkOwner(subject.at("group"), "group", kind);
  else if (kind === "ServiceAccount") checkAccount(subject.at("serviceAccount"), kind);
  else {
    subject.at("kind").oneOf(["Group", "ServiceAccount", "User"]);
    return;
  }
  const forbid = (part: "user" | "group" | "serviceAccount", own: string): void =>
    subject.at(part).forbidden(`${part} is forbidden when subject kind is not '${own}'`);
  if (serviceAccount && kind !== "ServiceAccount") forbid("serviceAccount", "ServiceAccount");
  if (user && kind !== "User") forbid("user", "User");
  if (group && kind !== "Group") forbid("group", "Group");
}

function checkOwner(owner: Check<{ name?: string } | undefined>, part: string, kind: string): void {
  if (owner.value) owner.at("name").given();
  else owner.required(`${part} is required when subject kind is '${kind}'`);
}

function checkAccount(
  account: Check<{ name?: string; namespace?: string } | undefined>,
  kind: string,
): void {
  checkOwner(account, "serviceAccount", kind);
  if (!account.value) return;
  const namespace = account.at("namespace");
  if (account.value.name !== "*") account.at("name").nameIfGiven(dns1123SubdomainErrors);
  const isGiven = namespace.given("must specify namespace for service account");
  if (isGiven) namespace.named(dns1123LabelErrors);
}

/** Validates a list with at least one item, of which `*` may be the only one. */
function checkAlone(
  list: Check<string[] | null | undefined>,
  missing: string,
  others: string,
): void {
  const names = list.value ?? [];
  list.given(missing);
  if (names.length > 1 && names.includes("*")) {
    list.invalid(`if '*' is present, must not specify other ${others}`);
  }
}

function checkVerbs(verbs: Check<string[] | null | undefined>): void {
  const names = verbs.value ?? [];
  checkAlone(verbs, "verbs must contain at least one value", "verbs");
  if (!names.includes("*") && !names.every((verb) => VERBS.includes(verb))) {
    verbs.notSupported(VERBS);
  }
}

function checkResources(rule: Check<Loose<ResourcePolicyRule>>): void {
  const supply = "resource rules must supply at least one";
  const { clusterScope } = rule.value;
  const names = rule.value.namespaces ?? [];
  checkVerbs(rule.at("verbs"));
  checkAlone(rule.at("apiGroups"), `${supply} api group`, "api groups");
  checkAlone(rule.at("resources"), `${supply} resource`, "resources");
  const namespaces = rule.at("namespaces");
  if (names.length === 0 && clusterScope === true) return;
  checkAlone(
    namespaces,
    "resource rules that are not cluster scoped must supply at least one namespace",
    "namespaces",
  );
  if (names.includes("*")) return;
  namespaces.each((name) => {
    for (const detail of dns1123LabelErrors(name.value)) {
      name.invalid(`each member of this list must be '*' or a DNS-1123 label; ${detail}`);
    }
  });
}

function checkPaths(rule: Check<Loose<NonResourcePolicyRule>>): void {
  const urls = rule.at("nonResourceURLs");
  checkVerbs(rule.at("verbs"));
  checkAlone(urls, "nonResourceURLs must contain at least one value", "non-resource URLs");
  if (!urls.value?.includes("*")) urls.each((url) => url.named(urlErrors));
}

function urlErrors(url: string): string[] {
  if (url === "") return ["must not be empty"];
  if (url === "/") return [];
  if (!url.startsWith("/")) return ["must start with slash"];
  if (url.includes(" ")) return ["must not contain white-space"];
  if (url.includes("//")) return ["must not contain double slash"];
  const bare = url.endsWith("/*") ? url.slice(0, -2) : url;
  return bare.includes("*") ? ["wildcard can only do suffix matching"] : [];
}

function dangling(flow: SentObject): string {
  const condition = conditionOf(flow, "Dangling");
  return condition ? textAt(condition, "status") : "?";
}

export const flowSchemaRules: KindRules = {
  status: "none",
  generation: ["spec"],
  setDefaults({ spec }: FlowSchema) {
    spec.matchingPrecedence ||= 1000;
  },
  validate: checked(checkFlowSchema),
  validateStatus: checkedChange(checkFlowStatus),
  table: {
    PriorityLevel: "spec.priorityLevelConfiguration.name",
    MatchingPrecedence: ["spec.matchingPrecedence", 0],
    DistinguisherMethod: ["spec.distinguisherMethod.type", "<none>"],
    MissingPL: dangling,
  },
  metadataChecks: ["whole"],
  resetFields: { status: ["spec", "metadata"] },
};
