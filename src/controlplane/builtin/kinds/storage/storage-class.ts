import type { TopologySelectorTerm } from "../../../../generated/k8s/core-v1.ts";
import type { StorageClass as StorageClassKind } from "../../../../generated/k8s/storage-v1.ts";
import { type Check, IMMUTABLE } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import { asGiven } from "../../go/emptied.ts";
import type { KindRules } from "../../kind-rules.ts";
import { defaultNameCell } from "../../tables/cells.ts";
import { checkParameters, checkProvisioner } from "./provisioner-parameters.ts";

type TopologyTerm = Loose<TopologySelectorTerm>;

export type StorageClass = Sent<StorageClassKind>;

function checkStorageClass(object: Check<StorageClass>): void {
  const { reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object.value;
  const mode = object.at("volumeBindingMode");
  checkProvisioner(object.at("provisioner"));
  checkParameters(object.at("parameters"));
  if (reclaimPolicy) object.at("reclaimPolicy").oneOf(["Delete", "Retain"]);
  if (volumeBindingMode === undefined) mode.required();
  else mode.oneOf(["Immediate", "WaitForFirstConsumer"]);
  const seen: unknown[] = [];
  object.at("allowedTopologies").each((term) => {
    checkTopology(term);
    const values = Object.fromEntries(
      (term.value.matchLabelExpressions ?? []).map(({ key = "", values: some }) => [
        key,
        new Set(some),
      ]),
    );
    // Upstream also compares with as many empty terms as there are.
    const empty = Object.keys(values).length === 0 ? allowedTopologies.length : 0;
    const known = seen.filter((one) => sameJson(one, values)).length;
    seen.push(values);
    for (let count = 0; count < empty + known; count++) {
      term.at("matchLabelExpressions").duplicate("");
    }
  });
}

function checkTopology(term: Check<TopologyTerm>): void {
  const keys = new Set<string>();
  term.at("matchLabelExpressions").each((expression) => {
    expression.at("values").given();
    expression.at("values").unique();
    expression.at("key").named(qualifiedNameErrors);
    expression.at("key").uniqueIn(keys);
  });
}

function checkChange(object: Check<StorageClass>, old: StorageClass): void {
  for (const field of [
    "parameters",
    "provisioner",
    "reclaimPolicy",
    "volumeBindingMode",
  ] as const) {
    if (sameJson(object.value[field] ?? null, old[field] ?? null)) continue;
    object.at(field).invalid(IMMUTABLE, asGiven(object.value, field));
  }
}

export const storageClassRules: KindRules = {
  validate: checked(checkStorageClass),
  validateUpdate: checkedChange(checkChange),
  setDefaults(storageClass: StorageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  table: {
    Name: defaultNameCell(
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ),
    Provisioner: "provisioner",
    ReclaimPolicy: ["reclaimPolicy", "Delete"],
    VolumeBindingMode: ["volumeBindingMode", "Immediate"],
    AllowVolumeExpansion: ["allowVolumeExpansion", false],
  },
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
};
