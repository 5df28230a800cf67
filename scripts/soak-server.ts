/**
 * The control plane of a soak, in a process of its own so that its memory is not the operator's. Prints its kubeconfig
 * as a JSON string; each line on standard input cuts all connections; ends with standard input.
 */
import { createInterface } from "node:readline";
import { startControlPlane } from "../src/testing.ts";

const cluster = await startControlPlane({ controllers: "off" });
console.log(JSON.stringify(cluster.kubeconfig));
const orders = createInterface(process.stdin);
orders.on("line", () => {
  cluster.dropConnections();
});
orders.on("close", () => void cluster.stop());
