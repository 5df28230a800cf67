/** The process of a `ServedControlPlane`: sends its kubeconfig, and cuts all connections on each message. */
import { startControlPlane } from "../../src/testing.ts";

const cluster = await startControlPlane({ controllers: "off" });
process.on("message", () => {
  cluster.dropConnections();
});
process.on("disconnect", () => void cluster.stop());
process.send?.(cluster.kubeconfig);
