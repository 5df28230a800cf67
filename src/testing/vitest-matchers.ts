/** Matchers for vitest, in the words of Kubernetes. Importing this module adds them to `expect`. */
import { expect } from "vitest";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { KubeObject } from "../kube/object.ts";
import { findingOfCondition, type WantedCondition } from "./matchers/condition.ts";
import type { Finding } from "./matchers/findings.ts";
import { findingOfSecondPass } from "./matchers/idempotence.ts";
import { type ExpectedOwnership, findingOfOwner } from "./matchers/owner.ts";

declare module "vitest" {
  interface Matchers<T> {
    /**
     * Calling the function a second time has no effect: whatever it wrote to the control plane the
     * first time, it writes nothing when it is called again. Events and Leases do not count.
     *
     * @example
     * await expect(() => reconciler.reconcile({ key })).toBeIdempotent(cluster);
     */
    toBeIdempotent(controlPlane: ControlPlane): Promise<void>;
    /**
     * The object has the condition, with the status `True` by default. A condition of an older
     * generation does not count.
     *
     * @example
     * expect(web).toHaveCondition("Ready");
     * expect(web).toHaveCondition("Ready", { status: "False", reason: "ImageMissing", message: /nginx/ });
     */
    toHaveCondition(type: string, expected?: WantedCondition): void;
    /**
     * The object has an owner reference to this owner, by its uid.
     *
     * @example
     * expect(deployment).toBeOwnedBy(web, { controller: true });
     */
    toBeOwnedBy(owner: KubeObject, options?: ExpectedOwnership): void;
  }
}

interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

const resultOf = ({ pass, message }: Finding): Verdict => ({
  pass,
  message: () => message,
});

expect.extend({
  async toBeIdempotent(received: unknown, controlPlane: ControlPlane): Promise<Verdict> {
    if (typeof received !== "function") {
      const message = `toBeIdempotent calls a function twice, but got ${typeof received}: write expect(() => ...).`;
      return resultOf({ pass: false, message });
    }
    const { utils } = this;
    const show = (before: unknown, after: unknown): string | undefined =>
      utils.diff(before, after, { aAnnotation: "Before", bAnnotation: "After" }) ?? undefined;
    return resultOf(await findingOfSecondPass(received as () => unknown, controlPlane, show));
  },
  toHaveCondition: (received: unknown, type: string, expected?: WantedCondition) =>
    resultOf(findingOfCondition(received, type, expected)),
  toBeOwnedBy: (received: unknown, owner: KubeObject, options?: ExpectedOwnership) =>
    resultOf(findingOfOwner(received, owner, options)),
});
