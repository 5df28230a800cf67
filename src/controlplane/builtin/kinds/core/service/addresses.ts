/** Validation of the cluster addresses of a Service and their families. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../../kube/field-errors.ts";
import { addressErrors, parseAddress } from "../../../shared/addresses/addresses.ts";
import { asGiven } from "../../../strategies/emptied.ts";
import type { Service } from "./shape.ts";

type Spec = Service["spec"];

const FAMILIES = ["IPv4", "IPv6"];
const FAMILY_POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const FIELD = "spec.clusterIPs";
const FIXED = "may not change once set";

/** Whether a Service is headless: it has no address, and clients use those of its pods. */
export const isHeadless = ({ clusterIP, clusterIPs }: Spec): boolean =>
  (clusterIPs?.length === 1 && clusterIPs[0] === "None") ||
  (clusterIPs === undefined && clusterIP === "None");

/** The family of an address. */
export const familyOf = (text: string): string =>
  parseAddress(text)?.bits === 128 ? "IPv6" : "IPv4";

/** Validates the addresses, families and policy that a Service has. */
export function clusterAddressErrors(spec: Spec): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const errors: FieldError[] = [];
  const refuse = (detail: string): void => {
    errors.push(invalidValue(FIELD, clusterIPs, detail));
  };
  if (clusterIP === "") {
    if (clusterIPs.length > 0) refuse("must be empty when `clusterIP` is not specified");
  } else if (clusterIPs.length === 0) errors.push(required(FIELD));
  else if (clusterIPs[0] !== clusterIP) refuse("first value must match `clusterIP`");
  for (const [index, family] of ipFamilies.entries()) {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(notSupported(field, family, FAMILIES));
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(field, family));
  }
  if (ipFamilyPolicy !== undefined && !FAMILY_POLICIES.includes(ipFamilyPolicy)) {
    errors.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, FAMILY_POLICIES));
  }
  const hasNone = clusterIPs[0] === "None";
  if (hasNone && clusterIPs.length > 1) refuse("'None' must be the first and only value");
  const wrong = clusterIPs.flatMap((ip, index) =>
    index === 0 && hasNone ? [] : addressErrors(`${FIELD}[${index}]`, ip),
  );
  errors.push(...wrong);
  if (clusterIPs.length > 2) refuse("may only hold up to 2 values");
  if (wrong.length > 0 || (hasNone && clusterIPs.length > 1)) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2) {
    refuse("may specify no more than one IP for each IP family");
  }
  if (isHeadless(spec)) return errors;
  for (const [index, family] of ipFamilies.slice(0, clusterIPs.length).entries()) {
    const ip = clusterIPs[index] ?? "";
    if (FAMILIES.includes(family) && familyOf(ip) !== family) {
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
      errors.push(invalidValue(`${FIELD}[${index}]`, ip, detail));
    }
  }
  return errors;
}

/** Validates that an ExternalName has no addresses. */
export const unaddressedErrors = ({
  clusterIPs = [],
  ipFamilies = [],
  ipFamilyPolicy,
}: Spec): FieldError[] =>
  [
    clusterIPs.length > 0 ? FIELD : "",
    ipFamilies.length > 0 ? "spec.ipFamilies" : "",
    ipFamilyPolicy === undefined ? "" : "spec.ipFamilyPolicy",
  ].flatMap((field) =>
    field === "" ? [] : [forbidden(field, "may not be set for ExternalName services")],
  );

/** Validates that an address does not change; a second one may be added and removed. */
export function addressUpdateErrors(spec: Spec, old: Spec): FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const errors = stackErrors(FIELD, "clusterIP", spec, old);
  return isHeadless(spec) || isHeadless(old)
    ? errors
    : [...errors, ...stackErrors("spec.ipFamilies", "ipFamily", spec, old)];
}

function stackErrors(
  field: string,
  what: "clusterIP" | "ipFamily",
  spec: Spec,
  old: Spec,
): FieldError[] {
  const part = what === "clusterIP" ? "clusterIPs" : "ipFamilies";
  const now = spec[part] ?? [];
  const before = old[part] ?? [];
  const shown = asGiven(spec, part);
  const errors: FieldError[] = [];
  if (before.length === now.length) {
    for (const [index, value] of before.entries()) {
      const at = what === "clusterIP" ? index : 0;
      if (value !== now[index]) errors.push(invalidValue(`${field}[${at}]`, shown, FIXED));
    }
    return errors;
  }
  if (before.length > now.length && (spec.clusterIPs ?? []).length === 0) {
    errors.push(invalidValue(`${field}[0]`, shown, `primary ${what} can not be unset`));
  }
  if (before.length > 0 && now.length > 0 && before[0] !== now[0]) {
    errors.push(invalidValue(`${field}[0]`, asGiven(spec, "clusterIPs"), FIXED));
  }
  if (before.length > now.length && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
    errors.push(invalidValue("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, detail));
  }
  return errors;
}
