/**
 * Tracks field ownership through creates, updates and patches other than applies.
 *
 * Runs on every write, before admission.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { asJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { type Managers, capUpdaters, isReset, readManagers } from "./managers.ts";
import {
  type OwnedResource,
  Untrackable,
  Write,
  type WriteBy,
  setManagers,
  updateManagers,
  withoutManagedFields,
} from "./write.ts";

/** The managers before an update: those in the update, else those of the stored object. */
function managersBefore(write: Write, live: SentObject | undefined, updated: SentObject): Managers {
  const stored = (): Managers => readManagers(live?.metadata.managedFields) ?? new Map();
  if (write.isSubresource) return stored();
  const brought = updated.metadata.managedFields;
  if (isReset(brought)) return new Map();
  const managers = readManagers(brought);
  return managers && managers.size > 0 ? managers : stored();
}

/**
 * Sets `updated.metadata.managedFields` after a create (`live` absent), an update or a patch that
 * is not an apply. Both objects are defaulted and in the version of `resource`. An object that does
 * not fit its schema keeps the managers that it had, as on the real server.
 */
export function trackUpdate(
  live: SentObject | undefined,
  updated: SentObject,
  resource: OwnedResource,
  by: WriteBy,
): void {
  const write = new Write(resource, by);
  const before = managersBefore(write, live, updated);
  if (live && before.size === 0) {
    // An object whose managedFields were emptied is not tracked again until the next apply.
    delete updated.metadata.managedFields;
    return;
  }
  const newObject = withoutManagedFields(asJson(updated));
  const oldObject = live ? withoutManagedFields(asJson(live)) : write.emptyObject();
  try {
    const after = updateManagers(write, oldObject, newObject, before, write.name("Update"));
    setManagers(write, updated, capUpdaters(after));
  } catch (error) {
    if (!(error instanceof Untrackable)) throw error;
    const { managedFields } = live?.metadata ?? {};
    if (managedFields) updated.metadata.managedFields = structuredClone(managedFields);
    else delete updated.metadata.managedFields;
  }
}
