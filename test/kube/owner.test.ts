import { describe, expect, it } from "vitest";
import { findCondition, setCondition } from "../../src/kube/conditions.ts";
import {
  controllerOf,
  setControllerReference,
  setOwnerReference,
  type Owned,
} from "../../src/kube/owner.ts";

const web = (name: string, uid = `uid-${name}`) => ({
  apiVersion: "g.io/v1",
  kind: "Web",
  metadata: { name, namespace: "crew", uid },
});

describe("setControllerReference", () => {
  it("makes the owner the controller, and may be repeated", () => {
    const object: Owned = { metadata: { name: "page" } };
    setControllerReference(web("a"), object);
    setControllerReference(web("a", "newer"), object);
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
    setControllerReference(web("a"), object);
    setOwnerReference(web("b"), object);
    expect(controllerOf(object)?.name).toBe("a");
    expect(() => {
      setControllerReference(web("b"), object);
    }).toThrow("is already controlled by the Web a");
  });

  it("refuses an owner in another namespace, and one that was never stored", () => {
    expect(() => {
      setOwnerReference(web("a"), { metadata: { namespace: "elsewhere" } });
    }).toThrow(expect.objectContaining({ code: "owner-elsewhere" }));
    expect(() => {
      setOwnerReference(web("a", ""), {});
    }).toThrow(expect.objectContaining({ code: "owner-incomplete" }));
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
