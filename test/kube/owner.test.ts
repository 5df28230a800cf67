import { describe, expect, it } from "vitest";
import { findCondition, setCondition } from "../../src/kube/progress/conditions.ts";
import {
  controllerOf,
  hasControllerReference,
  hasOwnerReference,
  isControlledBy,
  removeControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
  type Owned,
} from "../../src/kube/owner.ts";
import { asRead } from "../support/as-read.ts";

const web = (name: string, uid = `uid-${name}`) =>
  asRead({ apiVersion: "g.io/v1", kind: "Web", metadata: { name, namespace: "crew", uid } });

describe("setControllerReference", () => {
  it("makes the owner the controller, and may be repeated", () => {
    const object: Owned = { metadata: { name: "page" } };
    setControllerReference(object, { owner: web("a") });
    setControllerReference(object, { owner: web("a", "newer") });
    expect(object.metadata?.ownerReferences).toEqual([
      {
        apiVersion: "g.io/v1",
        kind: "Web",
        name: "a",
        uid: "newer",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it("allows one controller and any number of owners", () => {
    const object: Owned = { metadata: { name: "page" } };
    setControllerReference(object, { owner: web("a") });
    setOwnerReference(object, { owner: web("b") });
    expect(controllerOf(object)?.name).toBe("a");
    expect(() => {
      setControllerReference(object, { owner: web("b") });
    }).toThrow("is already controlled by the Web a");
  });

  it("refuses an owner in another namespace, and one that was never stored", () => {
    expect(() => {
      setOwnerReference({ metadata: { namespace: "elsewhere" } }, { owner: web("a") });
    }).toThrow(expect.objectContaining({ code: "owner-elsewhere" }));
    expect(() => {
      setOwnerReference({}, { owner: web("a", "") });
    }).toThrow(expect.objectContaining({ code: "owner-incomplete" }));
  });
});

describe("owner references", () => {
  const owned = (): Owned => {
    const object: Owned = { metadata: { name: "page" } };
    setControllerReference(object, { owner: web("a") });
    setOwnerReference(object, { owner: web("b") });
    return object;
  };
  const names = ({ metadata }: Owned) => metadata?.ownerReferences?.map(({ name }) => name);

  it("keep their places when they are set again: owners that take turns come to rest", () => {
    const object = owned();
    setControllerReference(object, { owner: web("a", "newer") });
    setOwnerReference(object, { owner: web("b", "newer") });
    expect(names(object)).toEqual(["a", "b"]);
  });

  it("are found by group, kind and name, as controller-runtime finds them", () => {
    const object = owned();
    expect(hasOwnerReference(object, { owner: web("a", "newer") })).toBe(true);
    expect(hasOwnerReference(object, { owner: { ...web("a"), apiVersion: "g.io/v2" } })).toBe(true);
    expect(hasOwnerReference(object, { owner: { ...web("a"), apiVersion: "other.io/v1" } })).toBe(
      false,
    );
    expect(hasOwnerReference(object, { owner: { ...web("a"), kind: "Shop" } })).toBe(false);
    expect(hasOwnerReference(object, { owner: web("c") })).toBe(false);
    expect(hasOwnerReference({}, { owner: web("a") })).toBe(false);
  });

  it("tell whose the controller is, by its uid", () => {
    const object = owned();
    expect(hasControllerReference(object)).toBe(true);
    expect(isControlledBy(object, { owner: web("a") })).toBe(true);
    expect(isControlledBy(object, { owner: web("a", "newer") })).toBe(false);
    expect(isControlledBy(object, { owner: web("b") })).toBe(false);
    expect(hasControllerReference({})).toBe(false);
    expect(isControlledBy({ metadata: {} }, { owner: web("a", "") })).toBe(false);
  });

  it("are removed alone, and it is told whether they were there", () => {
    const object = owned();
    expect(removeControllerReference(object, { owner: web("b") })).toBe(false);
    expect(removeOwnerReference(object, { owner: web("c") })).toBe(false);
    expect(names(object)).toEqual(["a", "b"]);
    expect(removeOwnerReference(object, { owner: web("b") })).toBe(true);
    expect(removeControllerReference(object, { owner: web("a", "newer") })).toBe(true);
    expect(names(object)).toEqual([]);
    expect(removeOwnerReference(object, { owner: web("a") })).toBe(false);
    expect(removeOwnerReference({}, { owner: web("a") })).toBe(false);
  });
});

describe("setCondition", () => {
  const ready = { type: "Ready", status: "True", reason: "Ok", message: "fine" } as const;
  const noon = Date.UTC(2026, 0, 1, 12);

  it("moves the time only when the status changes", () => {
    const first = setCondition(undefined, ready, noon);
    expect(first[0]?.lastTransitionTime).toBe("2026-01-01T12:00:00Z");
    const later = setCondition(first, { ...ready, message: "still" }, noon + 60_000);
    expect(later).toEqual([{ ...first[0], message: "still" }]);
    const broken = setCondition(later, { ...ready, status: "False" }, noon + 60_000);
    expect(findCondition(broken, "Ready")?.lastTransitionTime).toBe("2026-01-01T12:01:00Z");
  });
});
