/**
 * Type checking of a ValidatingAdmissionPolicy: warnings in its status about expressions that do
 * not fit the kinds that it matches.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
import { DeclaredObjects, declaredType } from "../../../kube/cel/declared-type.ts";
import { type CelType, DYN } from "../../../kube/cel/types.ts";
import type { Schema } from "../../../kube/schema/structural.ts";
import { objectMetaSchema } from "../../builtin/definitions.ts";
import type { ServedResource } from "../../kinds.ts";
import type { ExpressionCompiler, Surroundings } from "../expressions/expressions.ts";
import type { WebhookRule } from "../../../kube/webhooks/webhook-rules.ts";
import type { WebhookSource } from "../webhooks.ts";
import type {
  ExpressionWarning,
  ParamKind,
} from "../../../generated/k8s/admissionregistration-v1.ts";
import { findParamResource } from "./policy-matching.ts";
import type { ValidatingPolicy } from "../../builtin/kinds/admissionregistration/policy.ts";

const MAX_KINDS = 10;
const TEXT: Schema = { type: "string" };

/** The warnings about a policy; none when its expressions fit all kinds. */
export function typeWarnings(
  policy: ValidatingPolicy,
  { registry }: Pick<WebhookSource, "registry">,
  compiler: ExpressionCompiler,
): ExpressionWarning[] {
  const { matchConstraints, paramKind, validations = [], variables = [] } = policy.spec;
  const resources = kindsOf(matchConstraints?.resourceRules ?? [], registry.all());
  const params = typesOf(paramKind && findParamResource(registry.all(), paramKind), "params");
  const checks = resources.flatMap((resource) => {
    const types = typesOf(resource, resource.kind);
    return types ? [{ resource, surroundings: surroundingsOf(types, params, paramKind) }] : [];
  });
  const warningsAt = (fieldRef: string, expression: string): ExpressionWarning[] => {
    const issues = checks.flatMap(({ resource: { group, version, kind }, surroundings }) => {
      const known = new Map<string, CelType>();
      for (const variable of variables) {
        const within = { ...surroundings, variables: known };
        known.set(variable.name, compiler.compile(variable.expression, [], within).type);
      }
      const issue = compiler.mismatch(expression, { ...surroundings, variables: known });
      return issue === undefined ? [] : [`${group}/${version}, Kind=${kind}: ${issue}\n`];
    });
    return issues.length === 0 ? [] : [{ fieldRef, warning: issues.join("\n") }];
  };
  return validations.flatMap(({ expression, messageExpression = "" }, index) => {
    const at = `spec.validations[${index}]`;
    return [
      ...warningsAt(`${at}.expression`, expression),
      ...(messageExpression === "" ? [] : warningsAt(`${at}.messageExpression`, messageExpression)),
    ];
  });
}

interface Types {
  readonly type: CelType;
  readonly fields: DeclaredObjects;
}

function surroundingsOf(
  object: Types,
  params: Types | undefined,
  paramKind: ParamKind | undefined,
): Surroundings {
  return {
    params: paramKind !== undefined,
    authorizer: true,
    types: {
      object: object.type,
      params: params?.type ?? DYN,
      fields: params ? [object.fields, params.fields] : [object.fields],
    },
  };
}

/**
 * The types of a kind's objects; `undefined` without a schema, or with a schema that contains
 * itself.
 */
function typesOf(resource: ServedResource | undefined, name: string): Types | undefined {
  // The schema of a CustomResourceDefinition holds schemas, and thereby itself.
  if (!resource || resource.group === "apiextensions.k8s.io") return undefined;
  const { schema } = resource;
  const whole = resource.builtIn
    ? schema
    : {
        ...schema,
        properties: {
          ...schema.properties,
          apiVersion: TEXT,
          kind: TEXT,
          metadata: objectMetaSchema(),
        },
      };
  const declared = declaredType(whole, true);
  if (!declared) return undefined;
  const fields = new DeclaredObjects(declared, name);
  return { type: fields.type, fields };
}

/** The kinds that rules name; a rule with a wildcard names none. */
function kindsOf(
  rules: readonly WebhookRule[],
  all: readonly ServedResource[],
): readonly ServedResource[] {
  const found = new Set<ServedResource>();
  for (const { apiGroups, apiVersions, resources } of rules) {
    const [groups, versions] = [apiGroups ?? [], apiVersions ?? []];
    if ([...groups, ...versions].some((one) => one.includes("*"))) continue;
    const plurals = (resources ?? []).filter((one) => !/[*/]/.test(one));
    const matching = all.filter(
      ({ group, version, plural }) =>
        groups.includes(group) && versions.includes(version) && plurals.includes(plural),
    );
    for (const one of [...matching].sort(byKind).slice(0, MAX_KINDS)) found.add(one);
  }
  return [...found].sort(byKind);
}

function byKind(left: ServedResource, right: ServedResource): number {
  const [a, b] = [left, right].map(({ group, version, kind }) => [group, version, kind].join("\0"));
  return (a ?? "") < (b ?? "") ? -1 : 1;
}
