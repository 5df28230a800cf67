/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { directory } from "acme-client";
import { createManager, readFlags, setupSignalHandler, type MetricsEndpoint } from "tsop";
import { setUpCertificate } from "./controllers/certificate-controller.ts";

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
  "acme-directory": {
    type: "string",
    help: "the ACME server; the staging one of Let's Encrypt without",
  },
  "acme-email": { type: "string", help: "whom the ACME server writes to" },
});
const metricsPort = flags["metrics-port"];
const healthPort = flags["health-port"];
const debugPort = flags["debug-port"];

const manager = createManager({
  name: "mini-cert",
  ...(flags["leader-elect"] && { leaderElection: { id: "mini-cert.example.com" } }),
  ...(metricsPort !== undefined && { metrics: metricsAt(metricsPort) }),
  ...(healthPort !== undefined && { health: { port: healthPort } }),
  ...(debugPort !== undefined && { debug: { port: debugPort } }),
});

setUpCertificate(manager, {
  directoryUrl: flags["acme-directory"] ?? directory.letsencrypt.staging,
  email: flags["acme-email"],
});
await manager.start(setupSignalHandler());

function metricsAt(port: number): MetricsEndpoint {
  if (flags["metrics-insecure"]) return { port, host: "127.0.0.1" };
  const folder = flags["metrics-cert-path"];
  if (folder === undefined) return { port, reviewed: true, tls: "self-signed" };
  const tls = { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` };
  return { port, reviewed: true, tls };
}
