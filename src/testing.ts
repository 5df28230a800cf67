/**
 * The exports for an operator's tests: a control plane in the test's process with the operator's
 * own manifests in it, time that stands still, faults.
 *
 * @module
 */
export { VirtualClock } from "./clock.ts";
export {
  checkConversion,
  type CheckConversionOptions,
  type ConversionReport,
} from "./testing/check-conversion.ts";
export {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
  type StoredChange,
} from "./controlplane/control-plane.ts";
export { silentLogger } from "./log.ts";
export {
  type FaultCounts,
  type Faults,
  FaultyTransport,
} from "./runtime/transport/faulty-transport.ts";
export { clientFor, faults } from "./testing/access.ts";
export { callPlugin, type PluginOutcome } from "./testing/call-plugin.ts";
export { eventually, type EventuallyOptions } from "./testing/eventually.ts";
export { inProcess, type InProcessOptions } from "./testing/in-process.ts";
export { type CrdManifest, installCrds } from "./testing/install-crds.ts";
export { installOperator } from "./testing/install-operator.ts";
export { installWebhooks } from "./testing/install-webhooks.ts";
export { replayReconcile, type ReplayOptions } from "./testing/replay-reconcile.ts";
export type { ReplayReport } from "./runtime/replay/replay.ts";
export type { ReplayedWrite } from "./runtime/replay/replay-tap.ts";
export type { RecordedOutcome } from "./runtime/replay/recording.ts";
export { withSeeds } from "./testing/seeds.ts";
export {
  type PodScript,
  type PodSimulation,
  type SimulatedPods,
  simulatePods,
} from "./testing/simulate-pods.ts";
export type {
  DirectAnswer,
  DirectExchange,
  DirectRequest,
} from "./controlplane/server/http/direct-server.ts";
export { HttpsTransport } from "./runtime/transport/https-transport.ts";
export {
  type Reply,
  ScriptedTransport,
  type SeenRequest,
} from "./runtime/transport/scripted-transport.ts";
