/** Validation of the cluster addresses of a Service and their families. */
import type { Check } from "../../../../../kube/check.ts";
import { addressErrors, parseAddress } from "../../../shared/addresses/addresses.ts";
import { asGiven } from "../../../go/emptied.ts";
import type { ServiceSpec as Spec } from "./shape.ts";

const FAMILIES = ["IPv4", "IPv6"];
const FAMILY_POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const FIXED = "may not change once set";

/** Whether a Service is headless: it has no address, and clients use those of its pods. */
export const isHeadless = ({ clusterIP, clusterIPs }: Spec): boolean =>
  (clusterIPs?.length === 1 && clusterIPs[0] === "None") ||
  (clusterIPs === undefined && clusterIP === "None");

export const familyOf = (text: string): string =>
  parseAddress(text)?.bits === 128 ? "IPv6" : "IPv4";

/** Validates the addresses, families and policy that a Service has. */
export function checkClusterAddresses(spec: Check<Spec>): void {
  if (spec.value.type === "ExternalName") return;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [] } = spec.value;
  const addresses = spec.child("clusterIPs", clusterIPs);
  if (clusterIP === "") {
    if (clusterIPs.length > 0) {
      addresses.invalid("must be empty when `clusterIP` is not specified");
    }
  } else if (addresses.given() && clusterIPs[0] !== clusterIP) {
    addresses.invalid("first value must match `clusterIP`");
  }
  spec.at("ipFamilies").each((family, index) => {
    family.oneOf(FAMILIES);
    if (ipFamilies.indexOf(family.value) < index) family.duplicate();
  });
  spec.at("ipFamilyPolicy").ifSet((policy) => policy.oneOf(FAMILY_POLICIES));
  const hasNone = clusterIPs[0] === "None";
  const hasMore = hasNone && clusterIPs.length > 1;
  if (hasMore) addresses.invalid("'None' must be the first and only value");
  addresses.each((address, index) => {
    if (index > 0 || !hasNone) address.named(addressErrors);
  });
  if (clusterIPs.length > 2) addresses.invalid("may only hold up to 2 values");
  const areRead = clusterIPs.slice(hasNone ? 1 : 0).every((ip) => addressErrors(ip).length === 0);
  if (!areRead || hasMore) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2) {
    addresses.invalid("may specify no more than one IP for each IP family");
  }
  if (!isHeadless(spec.value)) checkFamilies(addresses, ipFamilies);
}

/** Validates that addresses are of the families at the same place. */
function checkFamilies(addresses: Check<string[]>, families: readonly string[]): void {
  addresses.each((address, index) => {
    const family = families[index] ?? "";
    if (!FAMILIES.includes(family) || familyOf(address.value) === family) return;
    address.invalid(`expected an ${family} value as indicated by \`ipFamilies[${index}]\``);
  });
}

/** Validates that an ExternalName has no addresses. */
export function checkUnaddressed(spec: Check<Spec>): void {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec.value;
  const detail = "may not be set for ExternalName services";
  if (clusterIPs.length > 0) spec.at("clusterIPs").forbidden(detail);
  if (ipFamilies.length > 0) spec.at("ipFamilies").forbidden(detail);
  if (ipFamilyPolicy !== undefined) spec.at("ipFamilyPolicy").forbidden(detail);
}

/** Validates that an address does not change; a second one may be added and removed. */
export function checkAddressChange(spec: Check<Spec>, old: Spec): void {
  if (spec.value.type === "ExternalName" || old.type === "ExternalName") return;
  if (isHeadless(spec.value) && isHeadless(old)) return;
  checkStack("clusterIP", spec, old);
  if (!isHeadless(spec.value) && !isHeadless(old)) checkStack("ipFamily", spec, old);
}

function checkStack(what: "clusterIP" | "ipFamily", spec: Check<Spec>, old: Spec): void {
  const part = what === "clusterIP" ? "clusterIPs" : "ipFamilies";
  const { [part]: now = [], clusterIPs = [], ipFamilyPolicy = null } = spec.value;
  const before = old[part] ?? [];
  const shown = asGiven(spec.value, part);
  const first = spec.child(`${part}[0]`, shown);
  if (before.length === now.length) {
    for (const [index, value] of before.entries()) {
      const place = what === "clusterIP" ? index : 0;
      if (value !== now[index]) spec.child(`${part}[${place}]`, shown).invalid(FIXED);
    }
    return;
  }
  if (before.length > now.length && clusterIPs.length === 0) {
    first.invalid(`primary ${what} can not be unset`);
  }
  if (before.length > 0 && now.length > 0 && before[0] !== now[0]) {
    first.invalid(FIXED, asGiven(spec.value, "clusterIPs"));
  }
  if (before.length > now.length && now.length === 1 && ipFamilyPolicy !== "SingleStack") {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
    spec.at("ipFamilyPolicy").invalid(detail, ipFamilyPolicy);
  }
}
