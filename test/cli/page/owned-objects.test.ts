/** Which objects belong to a project, and how the page is told of them. */
import { describe, expect, it } from "vitest";
import { OwnedObjects } from "../../../src/cli/page/owned-objects.ts";
import type { KubeObject, OwnerReference } from "../../../src/kube/object.ts";
import { asRead } from "../../support/as-read.ts";

function object(kind: string, name: string, owners: readonly OwnerReference[] = []): KubeObject {
  return asRead({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "d", uid: `${kind}-${name}`, ownerReferences: [...owners] },
  });
}

const ownedBy = (kind: string, name: string, controller = true): OwnerReference => {
  return { apiVersion: "v1", kind, name, uid: `${kind}-${name}`, controller };
};

/** Notes them, those of the kind `Web` as the project's own. */
function note(owned: OwnedObjects, ...objects: KubeObject[]): void {
  for (const one of objects) {
    owned.note(one, one.kind.toLowerCase(), one.kind === "Web", 0);
  }
}

describe("objects of a project", () => {
  it("are those of its kinds and what they own, with the owner that each is drawn under", () => {
    const owned = new OwnedObjects();
    note(
      owned,
      object("Pod", "a", [ownedBy("Set", "a")]),
      object("Set", "a", [ownedBy("Web", "a")]),
      object("Web", "a"),
      object("Pod", "stranger", [ownedBy("Set", "stranger")]),
      object("Set", "stranger"),
    );
    const { changed } = owned.changes();
    expect(changed.map(({ uid, parent }) => [uid, parent])).toEqual([
      ["Web-a", undefined],
      ["Set-a", "Web-a"],
      ["Pod-a", "Set-a"],
    ]);
  });

  it("are told once, and again when their state is another", () => {
    const owned = new OwnedObjects();
    note(owned, object("Web", "a"));
    expect(owned.changes().changed).toHaveLength(1);
    note(owned, object("Web", "a"));
    expect(owned.changes().changed).toEqual([]);
    const going = object("Web", "a");
    note(owned, {
      ...going,
      metadata: { ...going.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    expect(owned.changes().changed).toMatchObject([{ status: "Terminating" }]);
    owned.remove("Web-a");
    expect(owned.changes().gone).toEqual(["Web-a"]);
  });

  it("are told when their owner comes later, and go when it goes", () => {
    const owned = new OwnedObjects();
    note(owned, object("Pod", "a", [ownedBy("Web", "a")]));
    expect(owned.changes().changed).toEqual([]);
    note(owned, object("Web", "a"));
    expect(owned.changes().changed).toHaveLength(2);
    owned.remove("Web-a");
    expect(owned.changes().gone.toSorted()).toEqual(["Pod-a", "Web-a"]);
  });

  it("are drawn under the owner that controls them, and survive owners in a circle", () => {
    const owned = new OwnedObjects();
    const owners = [ownedBy("Web", "b", false), ownedBy("Web", "a")];
    note(
      owned,
      object("Pod", "both", owners),
      object("Web", "a", [ownedBy("Web", "b")]),
      object("Web", "b", [ownedBy("Web", "a")]),
    );
    const told = new Map(owned.changes().changed.map(({ uid, parent }) => [uid, parent]));
    expect(told.get("Pod-both")).toBe("Web-a");
    expect(told.size).toBe(3);
  });
});
