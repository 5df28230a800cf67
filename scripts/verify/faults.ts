import { fileURLToPath } from "node:url";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import { messageOf } from "../../src/errors.ts";
import type { Client } from "../../src/index.ts";
import { unknown } from "../programs/arguments.ts";
import { defineVerification } from "../programs/program.ts";
import { CERTIFICATE_USER, HOME, withFaultyControlPlane } from "./faults/control-plane.ts";
import type { Fault } from "./faults/fault.ts";
import { longRun } from "./faults/long-run.ts";
import { OBJECT_FAULTS } from "./faults/object-faults.ts";
import { OUTAGE_FAULTS } from "./faults/outage-faults.ts";
import { REPLICA_FAULTS } from "./faults/replica-faults.ts";
import { ROTATION_FAULTS } from "./faults/rotation-faults.ts";
import { ROLLOUT_FAULTS } from "./faults/rollout-faults.ts";
import { Scene } from "./faults/scene.ts";
import { SERVER_FAULTS } from "./faults/server-faults.ts";
import { TRAFFIC_FAULTS } from "./faults/traffic-faults.ts";
import { Webs } from "./faults/webs.ts";

const FAULTS: readonly Fault[] = [
  ...SERVER_FAULTS,
  ...ROTATION_FAULTS,
  ...OUTAGE_FAULTS,
  ...TRAFFIC_FAULTS,
  ...REPLICA_FAULTS,
  ...ROLLOUT_FAULTS,
  ...OBJECT_FAULTS,
  longRun,
];
const NAMES = FAULTS.map(({ name }) => name);
const example = fileURLToPath(new URL("../../examples/myweb/config/default", import.meta.url));

/**
 * Applies the objects of `tsop deploy` except the operator's own Deployment; its account gets only
 * the deployed role.
 */
async function install(client: Client): Promise<void> {
  for (const object of await renderKustomization(example)) {
    if (object.kind === "Deployment") continue;
    const subject = { kind: "User", name: CERTIFICATE_USER, apiGroup: "rbac.authorization.k8s.io" };
    const bound = object as typeof object & { subjects?: object[] };
    bound.subjects?.push(subject);
    const type = await client.dynamic(object.apiVersion, object.kind);
    await client.apply(type, object);
  }
}

/** Plays a fault and checks the scene. @throws Error with the violated expectations */
async function play(fault: Fault, scene: Scene): Promise<string> {
  const onExit = (): void => scene.kill();
  process.once("exit", onExit);
  try {
    await fault.play(scene);
    await scene.check();
  } catch (error) {
    scene.wrong.push(messageOf(error));
  } finally {
    await scene.end();
    process.off("exit", onExit);
  }
  const seen = `${fault.expected} | ${scene.seen.join("; ")}`;
  if (scene.wrong.length > 0) throw new Error(`${seen}\n${scene.wrong.join("\n")}`);
  return seen;
}

export const program = defineVerification({
  about:
    "Plays faults against a real control plane with the operator of examples/myweb, and checks the cluster and the operator afterwards.",
  compares: "faults",
  needs: ["a real control plane"],
  options: {
    home: HOME,
    only: { type: "list", about: `names of faults: ${NAMES.join(", ")}` },
    objects: { type: "number", default: 300, about: "number of MyWebs" },
    keep: { type: "switch", about: "keep the logs" },
  },
  run: async ({ values: { home, only, objects, keep }, tally }) => {
    const wrong = only.find((name) => !NAMES.includes(name));
    if (wrong !== undefined) throw unknown(`fault "${wrong}"`, wrong, NAMES);
    await withFaultyControlPlane({ home, keep }, async (plane) => {
      await install(plane.admin());
      const webs = new Webs(plane.admin(), objects);
      await webs.fill();
      for (const fault of FAULTS.filter(({ name }) => only.length === 0 || only.includes(name))) {
        await tally.check(fault.name, () => play(fault, new Scene(fault.name, plane, webs)));
      }
    });
  },
});
