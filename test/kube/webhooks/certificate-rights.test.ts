import { describe, expect, it } from "vitest";
import { certificateRights } from "../../../src/kube/webhooks/certificate-rights.ts";

const MUTATING = { mutating: true, configuration: "mutating-webhook-configuration" };
const VALIDATING = { mutating: false, configuration: "validating-webhook-configuration" };

describe("the rights that a self-managed certificate needs", () => {
  it("are the Secret in the operator's namespace, and each configuration and CRD by its name", () => {
    const rights = certificateRights({
      namePrefix: "shop-",
      configurations: [VALIDATING, MUTATING, VALIDATING],
      crds: ["widgets.shop.example.com", "gadgets.shop.example.com"],
    });
    expect(rights).toEqual({
      role: [
        { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
        {
          apiGroups: [""],
          resources: ["secrets"],
          resourceNames: ["shop-webhook-server-cert"],
          verbs: ["get", "update"],
        },
      ],
      clusterRole: [
        {
          apiGroups: ["admissionregistration.k8s.io"],
          resources: ["mutatingwebhookconfigurations"],
          resourceNames: ["shop-mutating-webhook-configuration"],
          verbs: ["get", "patch"],
        },
        {
          apiGroups: ["admissionregistration.k8s.io"],
          resources: ["validatingwebhookconfigurations"],
          resourceNames: ["shop-validating-webhook-configuration"],
          verbs: ["get", "patch"],
        },
        {
          apiGroups: ["apiextensions.k8s.io"],
          resources: ["customresourcedefinitions"],
          resourceNames: ["gadgets.shop.example.com", "widgets.shop.example.com"],
          verbs: ["get", "patch"],
        },
      ],
    });
  });

  it("never name nothing: a rule without names would grant all of them", () => {
    const { clusterRole } = certificateRights({
      namePrefix: "",
      configurations: [VALIDATING],
      crds: [],
    });
    expect(clusterRole).toEqual([
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: ["validatingwebhookconfigurations"],
        resourceNames: ["validating-webhook-configuration"],
        verbs: ["get", "patch"],
      },
    ]);
  });
});
