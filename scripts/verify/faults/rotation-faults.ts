/** Rotations of certificates, authorities, tokens and kubeconfigs while the operator runs. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/clock.ts";
import { CERTIFICATE_USER, replaceFile } from "./control-plane.ts";
import type { Fault } from "./fault.ts";
import { TcpProxy } from "./proxy.ts";
import type { Scene } from "./scene.ts";

// Longer than the interval at which files are examined.
const NOTICED_MS = 10_000;
const LATE_MS = 20_000;
// Longer than the grace period of connections under an old trust.
const ENDED_MS = 40_000;

/** The steps of a rotation, each of which replaces the file of the authority. */
const rotateAuthority: Fault = {
  name: "ca-rotated",
  expected:
    "old and new, then the server's certificate, then the old one goes: /readyz is 200 without a restart",
  async play(scene) {
    const authorityFile = join(scene.plane.folder, "rotated.pem");
    const { present, next } = scene.plane.authorities;
    replaceFile(authorityFile, present);
    const replica = await scene.start({ authorityFile });
    await scene.calm();
    await scene.probing(replica, async () => {
      replaceFile(authorityFile, present + next);
      await systemClock.sleep(NOTICED_MS);
      await scene.webs.disturb();
      await scene.plane.rotateAuthority();
      await scene.readyAgain(replica, "the server's restart");
      replaceFile(authorityFile, next);
      await systemClock.sleep(NOTICED_MS);
      await scene.webs.disturb();
      await scene.converges();
    });
  },
};

const rotateAuthorityLate: Fault = {
  name: "ca-rotated-late",
  expected:
    "the server's certificate changes first: not ready until the file is renewed, then 200 without a restart",
  async play(scene) {
    const authorityFile = join(scene.plane.folder, "rotated-late.pem");
    const { present, next } = scene.plane.authorities;
    replaceFile(authorityFile, present);
    const replica = await scene.start({ authorityFile });
    await scene.calm();
    await scene.probing(replica, async () => {
      await scene.plane.rotateAuthority();
      await systemClock.sleep(LATE_MS);
      await scene.webs.disturb();
      replaceFile(authorityFile, next);
      await scene.readyAgain(replica, "the renewal of the file");
      await scene.converges();
    });
  },
};

/** Mounts a version of the service account as the kubelet does: `..data` is swapped in one step. */
async function mount(scene: Scene, folder: string, version: string, ca: string): Promise<void> {
  mkdirSync(join(folder, version), { recursive: true });
  const content = {
    // The audit log identifies the replica by the name of its token.
    token: await scene.token("in-cluster"),
    "ca.crt": ca,
    namespace: "myweb-system",
  };
  for (const [name, text] of Object.entries(content)) {
    writeFileSync(join(folder, version, name), text);
  }
  symlinkSync(version, join(folder, "..data_tmp"));
  renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
}

const rotateInCluster: Fault = {
  name: "ca-rotated-in-cluster",
  expected:
    "the kubelet swaps the service account of the pod, and the server loads another certificate: the lead is kept, watches under the old trust end",
  async play(scene) {
    const serviceAccount = join(scene.plane.folder, "serviceaccount");
    const { present, next } = scene.plane.authorities;
    await mount(scene, serviceAccount, "..one", present);
    for (const name of ["token", "ca.crt", "namespace"]) {
      symlinkSync(join("..data", name), join(serviceAccount, name));
    }
    const replica = await scene.start({ serviceAccount, args: ["--leader-elect"] });
    await scene.calm();
    await scene.probing(replica, async () => {
      await mount(scene, serviceAccount, "..two", present + next);
      await systemClock.sleep(NOTICED_MS);
      await scene.plane.rotateAuthority({ restarts: false });
      await mount(scene, serviceAccount, "..three", next);
      await systemClock.sleep(NOTICED_MS);
      await scene.webs.disturb();
      await systemClock.sleep(ENDED_MS);
      await scene.readyAgain(replica, "the end of the watches under the old trust");
      await scene.webs.disturb();
      await scene.converges();
    });
  },
};

const replaceKubeconfig: Fault = {
  name: "kubeconfig-replaced",
  expected: "another address, authority and user: new requests use them, all converge",
  async play(scene) {
    const { plane } = scene;
    const proxy = await TcpProxy.start(plane);
    scene.atEnd(() => proxy.stop());
    const authorityFile = join(plane.folder, "replaced.pem");
    replaceFile(authorityFile, plane.authorities.present);
    const replica = await scene.start({ server: proxy.server, authorityFile });
    await scene.calm();
    await scene.probing(replica, async () => {
      const user = plane.writePair("replaced", plane.clientPair(CERTIFICATE_USER));
      replaceFile(scene.kubeconfigOf(replica), plane.kubeconfig(user));
      await systemClock.sleep(NOTICED_MS);
      proxy.set("reset");
      await scene.webs.disturb();
      await scene.readyAgain(replica, "the end of the old address");
      await scene.converges();
    });
    // The audit log names a client certificate by its fingerprint.
    const hasNewUser = scene.requests().some(({ by }) => /^X509|^myweb-certificate$/.test(by));
    if (!hasNewUser) scene.wrong.push("there is no request of the new user");
  },
};

const rotateClientCertificate: Fault = {
  name: "client-certificate-rotated",
  expected: "nothing is noticed when the files are renewed before the certificate ends",
  async play(scene) {
    const { plane } = scene;
    const pairFor = (ttlMs: number): object =>
      plane.writePair("rotated", plane.clientPair(CERTIFICATE_USER, [], ttlMs));
    const replica = await scene.start({ user: pairFor(100_000) });
    await scene.calm();
    await scene.probing(replica, async () => {
      pairFor(24 * 3_600_000);
      for (let seconds = 0; seconds < 110; seconds += 10) {
        await scene.webs.disturb();
        await systemClock.sleep(10_000);
      }
      await scene.converges();
    });
  },
};

/** In the order in which they are played. */
export const ROTATION_FAULTS: readonly Fault[] = [
  rotateAuthority,
  rotateAuthorityLate,
  rotateInCluster,
  replaceKubeconfig,
  rotateClientCertificate,
];
