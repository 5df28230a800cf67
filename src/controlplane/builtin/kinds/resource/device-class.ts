/** Rules of the kind DeviceClass. */
import { type FieldError, invalidValue } from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer } from "../../tables/column.ts";
import { MAX_CONFIGS } from "./claim-spec.ts";
import {
  type DeviceConfiguration,
  type DeviceSelector,
  configurationErrors,
  eachErrors,
  selectorsErrors,
} from "./device-checks.ts";

interface DeviceClass extends SentObject {
  spec?: {
    selectors?: DeviceSelector[];
    config?: DeviceConfiguration[];
    extendedResourceName?: string;
  };
}

/** Validates a DeviceClass. */
function deviceClassErrors(object: DeviceClass): FieldError[] {
  const { selectors, config, extendedResourceName: name } = object.spec ?? {};
  const isExtended =
    name === undefined ||
    (name.includes("/") &&
      !name.includes("kubernetes.io/") &&
      !name.startsWith("requests.") &&
      qualifiedNameErrors(`requests.${name}`).length === 0);
  return [
    ...selectorsErrors("spec.selectors", selectors),
    ...eachErrors("spec.config", config, MAX_CONFIGS, (one, at) => configurationErrors(at, one)),
    ...(isExtended
      ? []
      : [
          invalidValue("spec.extendedResourceName", name, "must be a valid extended resource name"),
        ]),
  ];
}

/** The rules of DeviceClasses. */
export const deviceClassRules: KindRules = {
  name: "generated",
  changeFirst: true,
  generation: ["spec"],
  validate: deviceClassErrors,
  table: printer([nameColumn, ageColumn]),
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
};
