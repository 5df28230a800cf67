/** The API servers that examples are played on. */
import { startControlPlane } from "../../src/controlplane/control-plane.ts";
import { ReadyPods } from "../../test/journeys/support/ready-pods.ts";
import { Kubectl } from "../../test/support/kubectl.ts";

type Work = (kubeconfig: string, kubectl: Kubectl) => Promise<void>;

/** Works on the server of a kubeconfig, with pods that become ready. */
export async function withServer(kubeconfig: string, work: Work): Promise<void> {
  const kubectl = new Kubectl(kubeconfig);
  const pods = await ReadyPods.whereNobodyRunsThem(kubectl);
  try {
    await work(kubeconfig, kubectl);
  } finally {
    await pods.stop();
    kubectl.close();
  }
}

/** Works on an embedded control plane. */
export async function withEmbedded(work: Work): Promise<void> {
  const cluster = await startControlPlane();
  try {
    await withServer(cluster.kubeconfig, work);
  } finally {
    await cluster.stop();
  }
}
