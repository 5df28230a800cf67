/**
 * Validation of what describes the cluster: Namespaces, Nodes, PriorityClasses, RuntimeClasses; and of Leases,
 * ControllerRevisions and PodDisruptionBudgets.
 *
 * @module
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  required,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { validateLabels } from "../../../../kube/metadata.ts";
import { isJsonObject } from "../../../../kube/json.ts";
import { dns1123LabelErrors, qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { Toleration } from "../pod-shapes.ts";
import type { IntOrString, LabelSelector, Namespace, Node, ResourceList } from "../shapes.ts";
import { isOneOfEach, parseRange, rangeErrors } from "./addresses.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import { countOrPercent, immutable, notNegative, notOverHundred, oneOf } from "./checks.ts";
import { type ShownCondition, conditionsErrors } from "./conditions.ts";
import { containerResourcesErrors } from "./container-resources.ts";
import { preemptionErrors } from "./pods.ts";
import { amountErrors } from "./resource-names.ts";
import { taintsErrors, tolerationsErrors } from "./scheduling.ts";

const FINALIZER = "name is neither a standard finalizer name nor is it fully qualified";

/** What is wrong with the finalizers in the spec of a namespace. */
export const namespaceFinalizeErrors = (object: SentObject): FieldError[] =>
  finalizerErrors(object, (index) => `spec.finalizers[${index}]`);

/** Everything wrong with a Namespace as it is. */
export const namespaceErrors = (object: SentObject): FieldError[] =>
  finalizerErrors(object, () => "spec.finalizers");

function finalizerErrors(object: SentObject, fieldOf: (index: number) => string): FieldError[] {
  const { finalizers = [] } = (object as Namespace).spec ?? {};
  return finalizers.flatMap((name, index) => {
    const field = fieldOf(index);
    const known = ["kubernetes", "orphan", "foregroundDeletion"].includes(name);
    return [
      ...nameErrorsAt(field, name, qualifiedNameErrors),
      ...(known || name.includes("/") ? [] : [invalidValue(field, name, FINALIZER)]),
    ];
  });
}

export function namespaceStatusErrors(object: SentObject): FieldError[] {
  const { metadata, status } = object as Namespace;
  const phase = status?.phase ?? "";
  const going = metadata.deletionTimestamp !== undefined;
  const expected = going ? "Terminating" : "Active";
  const state = going ? "is not empty" : "is empty";
  return phase === expected
    ? []
    : [
        invalidValue(
          "status.Phase",
          phase,
          `may only be '${expected}' if \`deletionTimestamp\` ${state}`,
        ),
      ];
}

const amountsErrors = (field: string, amounts: ResourceList = {}): FieldError[] =>
  Object.entries(amounts).flatMap(([name, amount]) =>
    amountErrors(`${field}.${name}`, name, amount),
  );

const nodeResourceErrors = ({ status }: Node): FieldError[] => [
  ...amountsErrors("status.capacity", status?.capacity),
  ...amountsErrors("status.allocatable", status?.allocatable),
];

export function newNodeErrors(object: SentObject): FieldError[] {
  const node = object as Node;
  const { taints = [], podCIDRs = [] } = node.spec ?? {};
  const field = "spec.podCIDRs";
  return [
    ...taintsErrors("metadata.taints", taints),
    ...nodeResourceErrors(node),
    ...podCIDRs.flatMap((range, index) => rangeErrors(`${field}[${index}]`, range)),
    ...(podCIDRs.length > 1 ? unparsedErrors(field, podCIDRs) : []),
    ...(podCIDRs.length > 1 && !isOneOfEach(podCIDRs)
      ? [invalidValue(field, podCIDRs, "may specify no more than one CIDR for each IP family")]
      : []),
  ];
}

/** Ranges that are none cannot be told apart by their family. */
function unparsedErrors(field: string, ranges: readonly string[]): FieldError[] {
  const index = ranges.findIndex((range) => !parseRange(range));
  if (index === -1) return [];
  const problem = `invalid CIDR[${index}]: <nil> (invalid CIDR address: ${ranges[index] ?? ""})`;
  const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${problem}`;
  return [{ reason: "InternalError", field, message }];
}

/** What the writer of a Node is told. */
export function nodeWarnings(object: SentObject): string[] {
  const { configSource, externalID } = (object as Node).spec ?? {};
  const unused = "is deprecated, and is unused by Kubernetes";
  return [
    ...(configSource
      ? [
          "spec.configSource: the feature is no longer supported since v1.22; use kubelet config instead",
        ]
      : []),
    ...(externalID ? [`spec.externalID: this field ${unused}`] : []),
  ];
}

/** What is wrong with a change of a node, in its spec or in its status. */
export function nodeStatusErrors(object: SentObject, previous: SentObject): FieldError[] {
  const node = object as Node;
  const { podCIDRs = [], providerID = "", taints = [] } = node.spec ?? {};
  const { podCIDRs: old = [], providerID: oldProvider = "" } = (previous as Node).spec ?? {};
  const errors = nodeResourceErrors(node);
  const addresses = new Set<string>();
  for (const [index, { type, address }] of (node.status?.addresses ?? []).entries()) {
    const shown = { Type: type, Address: address };
    const key = JSON.stringify(shown);
    if (addresses.has(key)) errors.push(duplicate(`status.addresses[${index}]`, shown));
    addresses.add(key);
  }
  const changed =
    podCIDRs.length === old.length
      ? old.filter((range, index) => range !== podCIDRs[index]).length
      : Math.min(old.length, 1);
  for (let count = 0; count < changed; count++) {
    errors.push(
      forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'),
    );
  }
  if (oldProvider !== "" && providerID !== oldProvider) {
    errors.push(
      forbidden(
        "spec.providerID",
        'node updates may not change providerID except from "" to valid',
      ),
    );
  }
  errors.push(...taintsErrors("metadata.taints", taints));
  const { externalID = "" } = node.spec ?? {};
  return externalID === ((previous as Node).spec?.externalID ?? "")
    ? errors
    : [...errors, forbidden("spec.externalID", "may not be updated")];
}

interface PriorityClass extends SentObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const HIGHEST_PRIORITY = 1_000_000_000;

/** The priority classes that every cluster has. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

export function newPriorityClassErrors(object: SentObject): FieldError[] {
  const { metadata, value = 0, globalDefault, preemptionPolicy } = object as PriorityClass;
  const { name = "" } = metadata;
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    const known = SYSTEM_PRIORITIES.get(name);
    const problem =
      known === undefined
        ? `${name} is not a known system priority class`
        : value !== known
          ? `value of ${name} PriorityClass must be ${known}`
          : globalDefault === true
            ? `globalDefault of ${name} PriorityClass must be false`
            : undefined;
    if (problem !== undefined) {
      errors.push(
        forbidden(
          "metadata.name",
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
    }
  } else if (value > HIGHEST_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`;
    errors.push(forbidden("value", detail));
  }
  return preemptionPolicy === undefined
    ? errors
    : [...errors, ...preemptionErrors("preemptionPolicy", preemptionPolicy)];
}

export function priorityClassUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const now = object as PriorityClass;
  const old = previous as PriorityClass;
  return [
    ...((now.value ?? 0) === (old.value ?? 0)
      ? []
      : [forbidden("value", "may not be changed in an update.")]),
    ...immutable("preemptionPolicy", now.preemptionPolicy, old.preemptionPolicy),
  ];
}

interface RuntimeClass extends SentObject {
  handler?: string;
  overhead?: { podFixed?: ResourceList };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

export function newRuntimeClassErrors(object: SentObject): FieldError[] {
  const { handler = "", overhead, scheduling } = object as RuntimeClass;
  const { nodeSelector, tolerations = [] } = scheduling ?? {};
  const seen = new Set<string>();
  return [
    ...(handler === ""
      ? [required("handler")]
      : nameErrorsAt("handler", handler, dns1123LabelErrors)),
    ...(overhead ? containerResourcesErrors("overhead", { limits: overhead.podFixed ?? {} }) : []),
    ...validateLabels(nodeSelector, "scheduling.nodeSelector"),
    ...tolerationsErrors("scheduling.tolerations", tolerations),
    ...tolerations.flatMap(({ key, operator, value, effect, ...rest }, index) => {
      const id = JSON.stringify([key, operator, value, effect]);
      const repeated = seen.has(id);
      seen.add(id);
      const shown = {
        Key: key ?? "",
        Operator: operator ?? "",
        Value: value ?? "",
        Effect: effect ?? "",
        TolerationSeconds: rest.tolerationSeconds ?? null,
      };
      return repeated ? [duplicate(`scheduling.tolerations[${index}]`, shown)] : [];
    }),
  ];
}

export const runtimeClassUpdateErrors = (object: SentObject, previous: SentObject): FieldError[] =>
  immutable("handler", (object as RuntimeClass).handler, (previous as RuntimeClass).handler);

interface Lease extends SentObject {
  spec?: {
    leaseDurationSeconds?: number;
    leaseTransitions?: number;
  };
}

export function leaseErrors(object: SentObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = (object as Lease).spec ?? {};
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalidValue("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  }
  errors.push(...notNegative("spec.leaseTransitions", leaseTransitions));
  return errors;
}

interface ControllerRevision extends SentObject {
  data?: unknown;
  revision?: number;
}

export function newControllerRevisionErrors(object: SentObject): FieldError[] {
  const { data, revision } = object as ControllerRevision;
  const errors = notNegative("revision", revision);
  if (data === undefined || data === null)
    return [...errors, required("data", "data is mandatory")];
  return isJsonObject(data)
    ? errors
    : [...errors, required("data", "data must be a valid JSON object")];
}

export const controllerRevisionUpdateErrors = (
  object: SentObject,
  previous: SentObject,
): FieldError[] => [
  ...notNegative("revision", (object as ControllerRevision).revision),
  ...immutable("data", (object as ControllerRevision).data, (previous as ControllerRevision).data),
];

interface DisruptionBudget extends SentObject {
  spec?: {
    minAvailable?: IntOrString;
    maxUnavailable?: IntOrString;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    conditions?: ShownCondition[];
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    expectedPods?: number;
  };
}

export function disruptionBudgetErrors(object: SentObject): FieldError[] {
  const {
    minAvailable,
    maxUnavailable,
    selector,
    unhealthyPodEvictionPolicy: policy,
  } = (object as DisruptionBudget).spec ?? {};
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    errors.push(invalidValue("spec", shown, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const [part, value] of Object.entries({ minAvailable, maxUnavailable })) {
    errors.push(...countOrPercent(`spec.${part}`, value), ...notOverHundred(`spec.${part}`, value));
  }
  errors.push(...selectorErrors("spec.selector", selector));
  return policy === undefined
    ? errors
    : [
        ...errors,
        ...oneOf("spec.unhealthyPodEvictionPolicy", policy, ["AlwaysAllow", "IfHealthyBudget"]),
      ];
}

export function disruptionBudgetStatusErrors(object: SentObject): FieldError[] {
  const { status = {} } = object as DisruptionBudget;
  return [
    ...conditionsErrors("status.conditions", status.conditions),
    ...(
      ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const
    ).flatMap((part) => notNegative(`status.${part}`, status[part])),
  ];
}
