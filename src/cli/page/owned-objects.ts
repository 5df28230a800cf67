/** The objects of a project's kinds and the objects that they own, as the page gets them. Pure. */
import type { KubeObject } from "../../kube/object.ts";
import { statusOf } from "../../kube/progress/kstatus.ts";
import type { PageObject, PageStatus } from "./protocol.ts";

/** An object as it was seen last. */
interface Seen {
  readonly object: Omit<PageObject, "parent">;
  /** The uids of its owners, the one that controls it first. */
  readonly owners: readonly string[];
  readonly isRoot: boolean;
}

/** The changes since they were asked for last. */
export interface ObjectChanges {
  readonly changed: readonly PageObject[];
  readonly gone: readonly string[];
}

/** Knows all objects that were seen, and which of them belong to the project. */
export class OwnedObjects {
  readonly #seen = new Map<string, Seen>();
  #told = new Map<string, PageObject>();

  /** @param isRoot - it is of one of the project's kinds */
  note(object: KubeObject, resource: string, isRoot: boolean, nowMs: number): void {
    const { uid, namespace, name, creationTimestamp, ownerReferences = [] } = object.metadata;
    const { status, message } = statusOf(object, nowMs);
    const owners = [...ownerReferences].sort(
      (a, b) => Number(b.controller === true) - Number(a.controller === true),
    );
    this.#seen.set(uid, {
      object: {
        uid,
        kind: object.kind,
        resource,
        ...(namespace !== undefined && { namespace }),
        name,
        status: status === "NotFound" ? "Unknown" : (status satisfies PageStatus),
        message,
        createdMs: Date.parse(creationTimestamp),
      },
      owners: owners.map((owner) => owner.uid),
      isRoot,
    });
  }

  remove(uid: string): void {
    this.#seen.delete(uid);
  }

  /** The changes to report now; all of them are in `all` afterwards. */
  changes(): ObjectChanges {
    const now = this.#owned();
    const changed = [...now.values()].filter(
      (object) => !isSame(this.#told.get(object.uid), object),
    );
    const gone = [...this.#told.keys()].filter((uid) => !now.has(uid));
    this.#told = now;
    return { changed, gone };
  }

  /** The objects that were reported. */
  all(): PageObject[] {
    return [...this.#told.values()];
  }

  /** Objects of the project's kinds, what they own, what that owns, and so on. */
  #owned(): Map<string, PageObject> {
    const owned = new Map<string, string[]>();
    for (const [uid, { owners }] of this.#seen) {
      for (const owner of owners) {
        const list = owned.get(owner);
        if (list) list.push(uid);
        else owned.set(owner, [uid]);
      }
    }
    const found = new Set<string>();
    for (const [uid, { isRoot }] of this.#seen) if (isRoot) found.add(uid);
    // A set hands out what is added while it is gone through.
    for (const uid of found) for (const child of owned.get(uid) ?? []) found.add(child);
    const objects = new Map<string, PageObject>();
    for (const uid of found) {
      const seen = this.#seen.get(uid);
      if (!seen) continue;
      const parent = seen.owners.find((owner) => found.has(owner));
      objects.set(uid, { ...seen.object, ...(parent !== undefined && { parent }) });
    }
    return objects;
  }
}

function isSame(before: PageObject | undefined, now: PageObject): boolean {
  return (
    before?.status === now.status && before.message === now.message && before.parent === now.parent
  );
}
