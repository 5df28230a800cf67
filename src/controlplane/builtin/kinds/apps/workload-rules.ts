import type * as apps from "../../../../generated/k8s/apps-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { numberAt } from "../../at.ts";
import { checkUnchangedForm, selectsNothing } from "../../shared/checks.ts";
import type { PodTemplate } from "../../shared/pods/pod-shapes.ts";
import type { IntOrString, LabelSelector, Shaped } from "../../shared/shapes.ts";
import { checkReplicatedTemplate, checkSelection } from "../../shared/workloads/selection.ts";
import { internalForm } from "../../go/internal.ts";

export const HISTORY = 10;

/** How a workload replaces its pods. */
export type RollingStrategy = Shaped<apps.DeploymentStrategy>;

export type Deployment = SentObject & {
  spec: Shaped<Omit<apps.DeploymentSpec, "template" | "strategy">> & {
    template: PodTemplate;
    strategy: RollingStrategy;
  };
  status?: Partial<Shaped<apps.DeploymentStatus>>;
};

/** Whether a count or percentage is zero, invalid or absent. */
export const isZero = (value: IntOrString | undefined): boolean =>
  typeof value === "string"
    ? !/^[0-9]+%$|^[-+]?[0-9]+$/.test(value) || Number.parseInt(value, 10) === 0
    : (value ?? 0) === 0;

/** A selector as messages show it. */
export const shownSelector = (selector: LabelSelector | undefined): unknown =>
  internalForm("*metav1.LabelSelector", selector);

/** The messages of a kind about an empty and an invalid selector. */
interface SelectorTexts {
  readonly empty: string;
  readonly invalid: string;
}

/** Validates the selector of a workload; whether the template is worth comparing with it. */
export function checkSelector(
  selector: Check<LabelSelector | undefined>,
  texts: SelectorTexts,
): boolean {
  const { value } = selector;
  if (!value) {
    selector.required();
    return true;
  }
  const isValid = selector.passes((it) => it.by(selectorErrors));
  if (selectsNothing(value)) selector.invalid(texts.empty, shownSelector(value));
  if (!isValid) selector.invalid(texts.invalid, shownSelector(value));
  return isValid;
}

/** Validates the selector and the template of a workload that replicates its pods. */
export function checkReplicas(
  spec: Check<{ replicas?: number; selector: LabelSelector; template: PodTemplate }>,
): void {
  const { selector, replicas } = spec.value;
  const template = spec.at("template");
  const isValid = checkSelector(spec.at("selector"), {
    empty: "empty selector is invalid for deployment",
    invalid: "invalid label selector",
  });
  if (!isValid) return;
  checkSelection(template, selector);
  checkReplicatedTemplate(template, "ReplicaSet", replicas);
}

interface Selecting extends SentObject {
  spec: { selector?: LabelSelector };
}

export function checkSelectorChange(object: Check<Selecting>, old: Selecting): void {
  checkUnchangedForm(object.at("spec", "selector"), "*metav1.LabelSelector", old.spec.selector);
}

interface Colliding extends SentObject {
  status?: { collisionCount?: number };
}

/** Validates that the count of name collisions never falls. */
export function checkCollisions(object: Check<Colliding>, { status: old = {} }: Colliding): void {
  const count = object.at("status", "collisionCount");
  const { collisionCount: before } = old;
  if (before !== undefined && (count.value === undefined || count.value < before)) {
    count.invalid("cannot be decremented", count.value ?? 0);
  }
}

/** The cell of the replicas that are ready, of those that are wanted. */
export const readyOfDesired = (object: SentObject): string =>
  `${numberAt(object, "status.readyReplicas")}/${numberAt(object, "spec.replicas")}`;
