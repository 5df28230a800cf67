import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { checkSegment } from "../../shared/checks.ts";

export function checkReference(
  reference: Check<{ apiGroup?: string; kind?: string; name?: string }>,
): void {
  reference.at("apiGroup").ifSet((group) => group.named(dns1123SubdomainErrors));
  checkSegment(reference.at("kind"));
  checkSegment(reference.at("name"));
}
