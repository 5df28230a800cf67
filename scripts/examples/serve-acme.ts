/**
 * `run-ts.mjs scripts/examples/serve-acme.ts FOLDER KUBECONFIG`: serves the ACME server and hosts
 * of the example mini-cert until its standard input ends. Prints a line of JSON: the address of the
 * ACME server, and the environment of the operator.
 */
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { AcmeWorld } from "./acme-world.ts";

const [folder, kubeconfig] = process.argv.slice(2);
if (folder === undefined || kubeconfig === undefined) {
  throw new Error("usage: serve-acme.ts FOLDER KUBECONFIG");
}
mkdirSync(folder, { recursive: true });
const world = await AcmeWorld.start(folder, () => readFileSync(kubeconfig, "utf8"));
const { directoryUrl, environment } = world;
console.log(JSON.stringify({ directoryUrl, environment }));
await once(process.stdin.resume(), "close");
await world.stop();
