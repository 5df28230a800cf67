/** Rules that admission policies and their bindings share, and parts for webhook configurations. */
import type {
  MatchResources,
  ValidatingAdmissionPolicy,
} from "../../../../generated/k8s/admissionregistration-v1.ts";
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorText } from "../../../../kube/selectors/selector-text.ts";
import { paramKindRights, paramRefRights } from "./param-rights.ts";
import type { Binding, Policy } from "./policy.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, textAt } from "../../at.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

export type PolicyObject = Sent<ValidatingAdmissionPolicy>;

/** What the kinds of this group have in common. */
export const SHARED: KindRules = {
  conditionalUpdate: true,
  metadataChecks: ["whole"],
  freeFinalizers: true,
};

export function setMatchDefaults(match: Loose<MatchResources>): void {
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) {
    rule.scope ??= "*";
  }
}

/** Checks the rights of the user, but only for an object that is valid otherwise. */
function checkedBy<Checked extends SentObject>(
  errors: (object: Checked, old?: Checked) => FieldError[],
  rights: (object: Checked, old: Checked | undefined, context: WriteContext) => FieldError[],
): KindRules {
  const check = (
    object: Checked,
    old: Checked | undefined,
    context: WriteContext,
  ): FieldError[] => {
    const found = errors(object, old);
    return found.length > 0 ? found : rights(object, old, context);
  };
  return {
    ...SHARED,
    generation: ["spec"],
    validateCreate: (object: Checked, context) => check(object, undefined, context),
    validateUpdate: (object: Checked, old: Checked, context) => check(object, old, context),
  };
}

export const policyRules = (errors: Parameters<typeof checkedBy<Policy>>[0]): KindRules => ({
  ...checkedBy(errors, paramKindRights),
  setDefaults({ spec }: PolicyObject) {
    if (!spec) return;
    spec.failurePolicy ??= "Fail";
    if (spec.matchConstraints) setMatchDefaults(spec.matchConstraints);
  },
});

/** The rules of bindings to policies, which have that plural, that are validated by `errors`. */
export const bindingRules = (
  errors: (binding: Binding) => FieldError[],
  plural: string,
): KindRules => ({
  ...checkedBy(errors, (object: Binding, _old, context) =>
    paramRefRights(object, context, { group: "admissionregistration.k8s.io", plural }),
  ),
  setDefaults({ spec }: { spec: { matchResources?: Loose<MatchResources> } } & SentObject) {
    if (spec.matchResources) setMatchDefaults(spec.matchResources);
  },
  table: { PolicyName: "spec.policyName", ParamRef: paramReference },
});

/** The cell of the kind of a policy's parameters. */
export function paramKind(policy: SentObject): string {
  const kind = at(policy, "spec.paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

function paramReference(binding: SentObject): string {
  const name = textAt(binding, "spec.paramRef.name");
  if (name !== "") return `${textAt(binding, "spec.paramRef.namespace", "*")}/${name}`;
  const selector = at(binding, "spec.paramRef.selector");
  return selector ? selectorText(selector) : "<unset>";
}
