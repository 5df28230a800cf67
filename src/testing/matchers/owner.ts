/** Checks whether an object is owned by another one. */
import type { KubeObject, OwnerReference } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import { describeObject, type Finding, isObject, notAnObject, table } from "./findings.ts";

/** The expected kind of ownership. */
export interface ExpectedOwnership {
  /** True: as the controller; false: not as the controller; either when absent. */
  readonly controller?: boolean;
}

/** Searches for the owner by its uid, as the garbage collector does. */
export function findingOfOwner(
  received: unknown,
  owner: KubeObject,
  { controller }: ExpectedOwnership = {},
): Finding {
  if (!isObject(received)) return notAnObject("toBeOwnedBy", received);
  const { ownerReferences } = received.metadata as { ownerReferences?: readonly OwnerReference[] };
  const references = ownerReferences ?? [];
  const { uid } = owner.metadata;
  const found = references.find((reference) => reference.uid === uid);
  const isWanted =
    found !== undefined && (controller === undefined || (found.controller ?? false) === controller);
  const how =
    controller === undefined ? "owned" : controller ? "controlled" : "owned, not controlled,";
  const wish = `${describeObject(received)} ${isWanted ? "not " : ""}to be ${how} by ${describeObject(owner)} (uid ${uid})`;
  const why = isWanted ? undefined : reasonFor(found, references, owner);
  const said = `Expected ${wish}${why === undefined ? "" : `, but ${why}`}.\n${ownersOf(references)}`;
  return { pass: isWanted, message: said };
}

function reasonFor(
  found: OwnerReference | undefined,
  references: readonly OwnerReference[],
  owner: KubeObject,
): string {
  if (found) return found.controller ? "it is its controller" : "it is not its controller";
  const namesake = references.find(
    ({ apiVersion, kind, name }) =>
      kind === owner.kind &&
      name === owner.metadata.name &&
      parseApiVersion(apiVersion).group === parseApiVersion(owner.apiVersion).group,
  );
  return namesake
    ? "its owner is another object of that name, such as an earlier one"
    : "it is not among its owners";
}

function ownersOf(references: readonly OwnerReference[]): string {
  if (references.length === 0) return "It has no owners.";
  const rows = references.map(({ apiVersion, kind, name, uid, controller }) => [
    kind,
    apiVersion,
    name,
    uid,
    controller ? "yes" : "no",
  ]);
  return `Its owners:\n${table([["KIND", "API VERSION", "NAME", "UID", "CONTROLLER"], ...rows])}`;
}
