import { describe, expect, it } from "vitest";
import { missingRights } from "../../../src/controlplane/auth/coverage.ts";
import type { PolicyRule } from "../../../src/generated/k8s/rbac-v1.ts";

const SCOTTY = { name: "scotty", groups: ["crew"] };

const lacking = (own: PolicyRule[], granted: PolicyRule[]): string | undefined =>
  missingRights(SCOTTY, own, granted, [])?.split("\n").slice(1).join("; ");

const read: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };

describe("Granting rights", () => {
  it("is possible with the same rights, or wider ones", () => {
    expect(lacking([read], [read])).toBeUndefined();
    expect(lacking([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], [read])).toBeUndefined();
    expect(
      lacking(
        [{ verbs: ["get"], apiGroups: [""], resources: ["*/status"] }],
        [{ verbs: ["get"], apiGroups: [""], resources: ["pods/status"] }],
      ),
    ).toBeUndefined();
  });

  it("is refused with what is missing, verbs of one resource together", () => {
    expect(lacking([read], [{ ...read, verbs: ["get", "watch", "delete"] }])).toBe(
      '{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}',
    );
  });

  it("needs a right without names for one without names", () => {
    expect(lacking([{ ...read, resourceNames: ["a"] }], [{ ...read, verbs: ["get"] }])).toBe(
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    );
    expect(lacking([read], [{ ...read, verbs: ["get"], resourceNames: ["a"] }])).toBeUndefined();
  });

  it("compares paths by their beginning", () => {
    const own: PolicyRule[] = [{ verbs: ["get"], nonResourceURLs: ["/metrics/*"] }];
    expect(lacking(own, [{ verbs: ["get"], nonResourceURLs: ["/metrics/slis"] }])).toBeUndefined();
    expect(lacking(own, [{ verbs: ["get"], nonResourceURLs: ["/logs"] }])).toBe(
      '{NonResourceURLs:["/logs"], Verbs:["get"]}',
    );
  });
});
