/** Faults of objects and credentials: kinds, namespaces, tokens, clocks. */
import { systemClock } from "../../../src/clock.ts";
import { Namespace } from "../../../src/k8s.ts";
import { eventually } from "../../../src/testing.ts";
import { MyWeb } from "../../../examples/myweb/src/api/v1/myweb.ts";
import { CERTIFICATE_USER, type FaultyControlPlane } from "./control-plane.ts";
import type { Fault } from "./fault.ts";
import { NAMESPACE } from "./webs.ts";

const TTL_MS = 15_000;
const DAY_MS = 24 * 3_600_000;
const GONE = { timeoutMs: 120_000, intervalMs: 500 };

const expireToken: Fault = {
  name: "token-expired",
  expected:
    "401 while the file has an expired token, told in the log; goes on without a restart once it is renewed",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.probing(replica, async () => {
      await scene.renewTokenOf(replica, TTL_MS);
      // The token in memory is read again each minute.
      await systemClock.sleep(60_000 + 2 * TTL_MS);
      await scene.webs.disturb();
      await systemClock.sleep(5000);
      await scene.renewTokenOf(replica);
      await scene.converges();
    });
  },
};

const rotateToken: Fault = {
  name: "token-rotated",
  expected: "nothing is noticed when the file is renewed before its token ends",
  async play(scene) {
    const replica = await scene.start({ tokenTtlMs: 100_000 });
    await scene.calm();
    await scene.probing(replica, async () => {
      await scene.renewTokenOf(replica);
      for (let seconds = 0; seconds < 110; seconds += 10) {
        await scene.webs.disturb();
        await systemClock.sleep(10_000);
      }
      await scene.converges();
    });
  },
};

function certificateUser(plane: FaultyControlPlane, ttlMs: number): object {
  return plane.writePair("operator", plane.clientPair(CERTIFICATE_USER, [], ttlMs));
}

const expireCertificate: Fault = {
  name: "certificate-expired",
  expected: "401 while the certificate is over; the renewed files are used without a restart",
  async play(scene) {
    const user = certificateUser(scene.plane, 45_000);
    const endsAtMs = systemClock.monotonicMs() + 45_000;
    const replica = await scene.start({ user });
    await scene.calm();
    await scene.probing(replica, async () => {
      await systemClock.sleep(Math.max(0, endsAtMs + 5000 - systemClock.monotonicMs()));
      await scene.webs.disturb();
      await systemClock.sleep(5000);
      certificateUser(scene.plane, DAY_MS);
      await scene.converges();
    });
  },
};

const remakeCrd: Fault = {
  name: "crd-deleted",
  expected:
    "not ready and quiet while the kind is not served; all are made anew with the CRD, without a restart",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.probing(replica, async () => {
      const crds = await scene.client.dynamic(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
      );
      const key = { name: "mywebs.operator.k8s-summit.org" };
      const { spec } = (await scene.client.get(crds, key)) as { spec?: object };
      await scene.client.delete(crds, key);
      await eventually(async () => {
        if (await scene.client.find(crds, key)) throw new Error("the CRD is still there");
      }, GONE);
      await systemClock.sleep(10_000);
      const crd = { metadata: key, spec } as Parameters<typeof scene.client.create>[1];
      await scene.client.create(crds, crd);
      await eventually(() => scene.client.list(MyWeb, { namespace: NAMESPACE }), GONE);
      await scene.webs.fill();
      await scene.converges();
    });
  },
};

const deleteNamespace: Fault = {
  name: "namespace-deleted",
  expected:
    "children are not made again in a namespace that ends, the log stays short, a new one is filled",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.probing(replica, async () => {
      await scene.client.delete(Namespace, { name: NAMESPACE });
      await eventually(async () => {
        if (await scene.client.find(Namespace, { name: NAMESPACE })) {
          throw new Error("the namespace is still there");
        }
      }, GONE);
      await scene.webs.fill();
      await scene.converges();
    });
  },
};

const jumpClock: Fault = {
  name: "clock-jumps",
  expected:
    "the lead is kept and nothing is hurried or held up when the wall clock jumps a day on and two back",
  async play(scene) {
    const replica = await scene.start({ args: ["--leader-elect"] });
    await scene.calm();
    await scene.probing(replica, async () => {
      for (const byMs of [DAY_MS, -2 * DAY_MS]) {
        replica.jump(byMs);
        await scene.webs.disturb();
        await systemClock.sleep(20_000);
      }
      await scene.converges();
    });
    if (replica.exit) scene.wrong.push("it ended");
  },
};

const deployedRole: Fault = {
  name: "deployed-role",
  expected: "no request is refused: the rendered role is enough, from the start on",
  async play(scene) {
    await scene.start({ args: ["--leader-elect"] });
    await scene.calm();
    await scene.webs.disturb();
    await scene.converges();
    const refused = scene.requests().filter(({ code }) => code === 403);
    scene.seen.push(`${scene.requests().length} requests`);
    for (const { verb, resource, subresource } of refused.slice(0, 3)) {
      scene.wrong.push(`403: ${verb} ${resource}/${subresource}`);
    }
  },
};

/** In the order in which they are played. */
export const OBJECT_FAULTS: readonly Fault[] = [
  expireToken,
  rotateToken,
  expireCertificate,
  remakeCrd,
  deleteNamespace,
  deployedRole,
  jumpClock,
];
