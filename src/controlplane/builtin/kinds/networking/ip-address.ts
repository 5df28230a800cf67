/** Rules of the kind IPAddress. */
import { type FieldError, nameErrorsAt, required } from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { TablePrinter } from "../../../kinds.ts";
import { at, textAt } from "../../at.ts";
import { segmentErrors } from "../../shared/addresses/names.ts";
import { immutableForm } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageOf } from "../../tables/age.ts";
import { column, nameColumn, printer } from "../../tables/column.ts";

interface IpAddress extends SentObject {
  spec?: {
    parentRef?: { group?: string; resource?: string; namespace?: string; name?: string };
  };
}

function newIpAddressErrors(object: IpAddress): FieldError[] {
  const parent = object.spec?.parentRef;
  const at = "spec.parentRef";
  if (!parent) return [required(at)];
  const { group = "", resource = "", name = "", namespace = "" } = parent;
  return [
    ...(group === "" ? [] : nameErrorsAt(`${at}.group`, group, dns1123SubdomainErrors)),
    ...segmentErrors(`${at}.resource`, resource),
    ...segmentErrors(`${at}.name`, name),
    ...(namespace === "" ? [] : segmentErrors(`${at}.namespace`, namespace)),
  ];
}

function ipAddressUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const parentOf = (address: IpAddress): unknown => address.spec?.parentRef;
  return immutableForm(
    "spec.parentRef",
    "*networking.ParentReference",
    parentOf(object),
    parentOf(previous),
  );
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

/** Adds a cell with the age without a column for it, as Kubernetes does. */
function withUnnamedAge(table: TablePrinter): TablePrinter {
  return {
    ...table,
    cells: (object, nowMs) => [
      ...table.cells(object, nowMs),
      ageOf(object.metadata.creationTimestamp, nowMs),
    ],
  };
}

/** The rules of IPAddresses. */
export const ipAddressRules: KindRules = {
  validate: newIpAddressErrors,
  validateUpdate: ipAddressUpdateErrors,
  name: "address",
  table: withUnnamedAge(printer([nameColumn, column("ParentRef", parentReference)])),
  metadataChecks: ["whole", "change"],
  columnFields: {
    ParentRef: "networking.v1.IPAddressSpec.parentRef",
  },
};
