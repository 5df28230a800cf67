/** Reads `@Rbac` on controllers as grants. */
import type { ts } from "../../load.ts";
import type { GrantModel } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { evaluate, notConstant } from "../code/evaluate.ts";
import { argumentsOf, decorationsOf } from "./marks.ts";
import type { Module } from "../code/module.ts";
import { type Reader, complain } from "../code/reader.ts";
import { type TokenModel, tokenOf } from "./token.ts";

const VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "impersonate",
  "bind",
  "escalate",
  "use",
  "approve",
  "sign",
  // Verbs of paths outside the resources.
  "head",
  "post",
  "put",
  "options",
  "*",
];
const RULE_KEYS = [
  "groups",
  "resources",
  "resourceNames",
  "urls",
  "verbs",
  "namespace",
  "roleName",
];
const SCOPE_KEYS = ["subresource", "resourceNames", "namespace", "roleName"];

/** The grants on one class. */
export function readRights(
  reader: Reader,
  module: Module,
  node: ts.ClassDeclaration,
): GrantModel[] {
  return decorationsOf(reader, module, node)
    .filter(({ name }) => name === "Rbac")
    .flatMap(({ call }) => {
      const grant =
        call.arguments.length === 1
          ? readRule(reader, module, call)
          : readTokenRight(reader, module, call);
      if (grant) checkVerbs(reader, module, call, grant.verbs);
      return grant ? [grant] : [];
    });
}

function readRule(reader: Reader, module: Module, call: ts.CallExpression): GrantModel | undefined {
  const [rule] = argumentsOf(reader, module, call) ?? [];
  if (typeof rule !== "object" || rule === null) return undefined;
  const said = rule as Record<string, unknown>;
  if (!keysAreKnown(reader, module, call, said, RULE_KEYS)) return undefined;
  const grant = grantOf(reader, module, call, said);
  if (grant.urls.length === 0 && grant.resources.length === 0) {
    complain(
      reader,
      { module, node: call },
      "rbac-without-target",
      "@Rbac grants verbs on nothing.",
      "Add resources (with their groups), or urls.",
    );
  }
  return grant;
}

function readTokenRight(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
): GrantModel | undefined {
  const [token, verbs, scope] = call.arguments;
  const resource = token && readToken(reader, module, token);
  const list = verbs && evaluate(reader, module, verbs);
  const more = scope ? evaluate(reader, module, scope) : {};
  if (!resource) return undefined;
  if (!Array.isArray(list) || more === notConstant || typeof more !== "object" || !more) {
    complain(
      reader,
      { module, node: call },
      "wrong-arguments",
      "@Rbac takes a token, a list of verbs, and a scope if need be; all constant.",
      'Write @Rbac(Deployment, ["get", "list", "watch"]).',
    );
    return undefined;
  }
  const said = more as Record<string, unknown>;
  if (!keysAreKnown(reader, module, call, said, SCOPE_KEYS)) return undefined;
  const { subresource } = said;
  const plural =
    typeof subresource === "string" ? `${resource.plural}/${subresource}` : resource.plural;
  return grantOf(reader, module, call, {
    ...said,
    groups: [resource.group],
    resources: [plural],
    verbs: list,
  });
}

function keysAreKnown(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
  said: Readonly<Record<string, unknown>>,
  known: readonly string[],
): boolean {
  const wrong = Object.keys(said).find((key) => !known.includes(key));
  if (wrong === undefined) return true;
  complain(
    reader,
    { module, node: call },
    "unknown-option",
    `@Rbac has no option ${wrong}.`,
    didYouMean(wrong, known, `It takes ${known.join(", ")}.`),
  );
  return false;
}

function grantOf(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
  said: Readonly<Record<string, unknown>>,
): GrantModel {
  const texts = (key: string): string[] => (Array.isArray(said[key]) ? said[key].map(String) : []);
  const text = (key: string): string => (typeof said[key] === "string" ? said[key] : "");
  return {
    groups: texts("groups"),
    resources: texts("resources"),
    resourceNames: texts("resourceNames"),
    urls: texts("urls"),
    verbs: texts("verbs"),
    namespace: text("namespace"),
    roleName: text("roleName"),
    at: reader.modules.at(module, call),
  };
}

/** The resource that a token stands for; that it stands for none is noted. */
function readToken(reader: Reader, module: Module, node: ts.Expression): TokenModel | undefined {
  const token = tokenOf(reader, module, node);
  if (token) return token;
  complain(
    reader,
    { module, node },
    "not-a-token",
    `\`${node.getText(module.file)}\` is not a kind.`,
    "Pass a class with @Resource, a kind from tsop/k8s, or { groups, resources, verbs }.",
  );
  return undefined;
}

function checkVerbs(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
  verbs: readonly string[],
): void {
  for (const verb of verbs) {
    if (VERBS.includes(verb)) continue;
    reader.findings.warn(
      reader.modules.at(module, call),
      "unknown-verb",
      `Kubernetes has no built-in verb "${verb}".`,
      didYouMean(verb, VERBS, "Leave it if the API that you call checks it."),
    );
  }
}
