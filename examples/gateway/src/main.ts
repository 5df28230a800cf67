/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import {
  createManager,
  readFlags,
  setupSignalHandler,
  type MetricsEndpoint,
  type WebhookServerOptions,
} from "tsop";
import { setUpGateway } from "./controllers/gateway-controller.ts";
import { GatewayDefaulter } from "./webhooks/gateway-defaulter.ts";
import { GatewayValidator } from "./webhooks/gateway-validator.ts";
import { GatewayV1alpha1Conversion } from "./webhooks/gateway-v1alpha1-conversion.ts";

// What no flag asks for stays off.
const flags = readFlags({
  "leader-elect": { type: "boolean", help: "of several replicas, one works at a time" },
  "metrics-port": { type: "port", help: "serve /metrics with TLS, to those who may read it" },
  "metrics-cert-path": {
    type: "string",
    help: "the folder of tls.crt and tls.key; self-signed without",
  },
  "metrics-insecure": {
    type: "boolean",
    help: "serve /metrics in clear text, to this machine only",
  },
  "health-port": { type: "port", help: "serve /healthz and /readyz" },
  "debug-port": {
    type: "port",
    help: "keep a journal for `tsop why`, served to this machine only",
  },
  "webhook-port": { type: "port", help: "answer the webhooks of the API server" },
  "webhook-cert-path": {
    type: "string",
    help: "the folder of tls.crt and tls.key; self-managed without",
  },
});
const metricsPort = flags["metrics-port"];
const healthPort = flags["health-port"];
const debugPort = flags["debug-port"];

const manager = createManager({
  name: "gateway",
  ...(flags["leader-elect"] && { leaderElection: { id: "gateway.example.com" } }),
  ...(metricsPort !== undefined && { metrics: metricsAt(metricsPort) }),
  ...(healthPort !== undefined && { health: { port: healthPort } }),
  ...(debugPort !== undefined && { debug: { port: debugPort } }),
  ...(flags["webhook-port"] !== undefined && {
    webhooks: webhooksAt(flags["webhook-port"]),
  }),
});

setUpGateway(manager);
manager.webhooks.add(new GatewayDefaulter());
manager.webhooks.add(new GatewayValidator(manager.client));
manager.webhooks.add(new GatewayV1alpha1Conversion());
await manager.start(setupSignalHandler());

function metricsAt(port: number): MetricsEndpoint {
  if (flags["metrics-insecure"]) return { port, host: "127.0.0.1" };
  const folder = flags["metrics-cert-path"];
  if (folder === undefined) return { port, reviewed: true, tls: "self-signed" };
  const tls = { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` };
  return { port, reviewed: true, tls };
}

function webhooksAt(port: number): WebhookServerOptions {
  const folder = flags["webhook-cert-path"];
  if (folder === undefined) {
    return { port, certificate: { selfManaged: { namePrefix: "gateway-" } } };
  }
  const certificate = { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` };
  return { port, certificate };
}
