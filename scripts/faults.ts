/**
 * `npm run faults -- --home DIR [--only NAME[,NAME]] [--objects N] [--keep]`: plays faults against
 * a real control plane, with the operator of `examples/myweb`, and checks the cluster and the
 * operator afterwards.
 *
 * `DIR/bin` has etcd, kube-apiserver and kube-controller-manager. Prints a line for each fault: its
 * name, the expected and the observed behaviour, ok or FAIL, and the seconds. Exits with 1 when a
 * check fails. The logs stay with `--keep`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { renderKustomization } from "../src/cli/kustomize/render.ts";
import { systemClock } from "../src/clock.ts";
import { messageOf } from "../src/errors.ts";
import type { Client } from "../src/index.ts";
import { CERTIFICATE_USER, FaultyControlPlane } from "./faults/control-plane.ts";
import type { Fault } from "./faults/fault.ts";
import { OBJECT_FAULTS } from "./faults/object-faults.ts";
import { REPLICA_FAULTS } from "./faults/replica-faults.ts";
import { Scene } from "./faults/scene.ts";
import { SERVER_FAULTS } from "./faults/server-faults.ts";
import { Webs } from "./faults/webs.ts";

const { values } = parseArgs({
  options: {
    home: { type: "string" },
    only: { type: "string" },
    objects: { type: "string", default: "300" },
    keep: { type: "boolean", default: false },
  },
});
if (values.home === undefined)
  throw new Error(
    "--home DIR: the folder whose bin/ has etcd, kube-apiserver and kube-controller-manager",
  );

const example = fileURLToPath(new URL("../examples/myweb/config/default", import.meta.url));
const wanted = values.only?.split(",");
const faults: readonly Fault[] = [...SERVER_FAULTS, ...REPLICA_FAULTS, ...OBJECT_FAULTS].filter(
  ({ name }) => wanted?.includes(name) ?? true,
);
if (faults.length === 0) throw new Error(`--only: no fault has the name ${values.only ?? ""}`);

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

async function play(fault: Fault, scene: Scene): Promise<boolean> {
  const beganMs = systemClock.monotonicMs();
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
  const isRight = scene.wrong.length === 0;
  const seconds = ((systemClock.monotonicMs() - beganMs) / 1000).toFixed(0);
  const seen = [...scene.seen, ...scene.wrong.map((what) => `WRONG: ${what}`)].join("; ");
  console.log(
    `${fault.name} | ${fault.expected} | ${seen} | ${isRight ? "ok" : "FAIL"} | ${seconds} s`,
  );
  return isRight;
}

const folder = mkdtempSync(join(tmpdir(), "tsop-faults-"));
const plane = await FaultyControlPlane.start(values.home, folder);
process.once("exit", () => plane.kill());
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
try {
  await install(plane.admin());
  const webs = new Webs(plane.admin(), Number(values.objects));
  await webs.fill();
  for (const fault of faults) {
    if (!(await play(fault, new Scene(fault.name, plane, webs)))) process.exitCode = 1;
  }
} finally {
  await plane.stop();
  if (values.keep) console.log(`logs: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
