import type { IPAddress } from "../../../../generated/k8s/networking-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, textAt } from "../../at.ts";
import { checkSegment, checkUnchangedForm, checked, checkedChange } from "../../shared/checks.ts";
import type { Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { ageCell } from "../../tables/cells.ts";

type Address = Sent<IPAddress>;

function checkAddress(address: Check<Address>): void {
  const parent = address.at("spec", "parentRef");
  if (!parent.value) {
    parent.required();
    return;
  }
  parent.at("group").nameIfGiven(dns1123SubdomainErrors);
  checkSegment(parent.at("resource"));
  checkSegment(parent.at("name"));
  if (parent.value.namespace) checkSegment(parent.at("namespace"));
}

function parentReference(address: SentObject): string {
  const parent = at(address, "spec.parentRef");
  if (!parent) return "<none>";
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  return [resource, textAt(parent, "namespace"), textAt(parent, "name")]
    .filter((part, index) => part !== "" || index !== 1)
    .join("/");
}

export const ipAddressRules: KindRules = {
  validate: checked(checkAddress),
  validateUpdate: checkedChange<Address>((address, old) => {
    const parent = address.at("spec", "parentRef");
    checkUnchangedForm(parent, "*networking.ParentReference", old.spec?.parentRef);
  }),
  name: "address",
  table: {
    ParentRef: parentReference,
    // As in Kubernetes: there is no column for it.
    "": ageCell("metadata.creationTimestamp"),
  },
  metadataChecks: ["whole", "change"],
};
