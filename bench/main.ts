/** `npm run bench`: all benchmarks, or those named. Ratios within one run; the machine is named. */
import { benchCliStart } from "./cli-start.ts";
import { benchControlPlane } from "./control-plane.ts";
import { benchControlPlaneStart } from "./control-plane-start.ts";
import { benchIdleOperator } from "./idle-operator.ts";
import { benchImport } from "./import.ts";
import { benchInformerSync } from "./informer-sync.ts";
import { benchLeanHeap } from "./lean-heap.ts";
import { benchManifests } from "./manifests.ts";
import { benchInProcess } from "./in-process.ts";
import { machine } from "./measure.ts";
import { benchPage } from "./page.ts";
import { benchReconciles } from "./reconciles.ts";
import { benchSaveToReconcile } from "./save-to-reconcile.ts";
import { benchTracing } from "./tracing.ts";
import { benchVirtualDay } from "./virtual-day.ts";
import { benchWebhooks } from "./webhooks.ts";

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  "cli-start": benchCliStart,
  manifests: benchManifests,
  import: benchImport,
  "informer-sync": benchInformerSync,
  reconciles: benchReconciles,
  "save-to-reconcile": benchSaveToReconcile,
  webhooks: benchWebhooks,
  "control-plane-start": benchControlPlaneStart,
  "control-plane": benchControlPlane,
  "in-process": benchInProcess,
  tracing: benchTracing,
  "virtual-day": benchVirtualDay,
  "idle-operator": benchIdleOperator,
  page: benchPage,
  "lean-heap": benchLeanHeap,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  throw new Error(
    `no benchmark ${unknown.join(", ")}; there are ${Object.keys(BENCHES).join(", ")}`,
  );
}
// With this variable, Node reads some 150 certificates (80 ms) at the start of every process: a
// cost of the machine's settings, not of a contender.
delete process.env["NODE_EXTRA_CA_CERTS"];
console.log(machine());
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
