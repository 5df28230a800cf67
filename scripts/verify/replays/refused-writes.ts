/** Makes an API server refuse the writes of an operator, so that its reconciles fail. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kubectl } from "../../../test/support/kubectl.ts";

const NAME = "refused-for-the-recording";

/**
 * The policy: creations and changes by the operator of a namespace are refused, except for its
 * Lease and its events.
 */
const manifests = (namespace: string): object => ({
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: NAME },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ["", "apps", "batch"],
              apiVersions: ["*"],
              operations: ["CREATE", "UPDATE"],
              resources: ["configmaps", "secrets", "services", "pods", "persistentvolumeclaims"],
            },
            {
              apiGroups: ["apps", "batch"],
              apiVersions: ["*"],
              operations: ["CREATE", "UPDATE"],
              resources: ["deployments", "statefulsets", "jobs", "cronjobs"],
            },
          ],
        },
        matchConditions: [
          {
            name: "by-the-operator",
            expression: `request.userInfo.username.startsWith('system:serviceaccount:${namespace}:')`,
          },
        ],
        validations: [{ expression: "false", message: NAME }],
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: NAME },
      spec: { policyName: NAME, validationActions: ["Deny"] },
    },
  ],
});

/** Refuses writes, from `begin` to `end`. */
export class RefusedWrites {
  /** Matches the operator's log lines about them. */
  static readonly lines = new RegExp(NAME);
  readonly #kubectl: Kubectl;
  #isOn = false;

  constructor(kubectl: Kubectl) {
    this.#kubectl = kubectl;
  }

  async begin(namespace: string): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "tsop-refused-"));
    try {
      const file = join(folder, "policy.json");
      writeFileSync(file, JSON.stringify(manifests(namespace)));
      this.#isOn = true;
      await this.#kubectl.output(["apply", "-f", file]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async end(): Promise<void> {
    if (!this.#isOn) return;
    this.#isOn = false;
    const kinds = "validatingadmissionpolicybindings,validatingadmissionpolicies";
    await this.#kubectl.output(["delete", kinds, NAME]);
  }
}
