/**
 * Starts the operator with the settings from the command line.
 */
import { directory } from "acme-client";
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpCertificate } from "./controllers/certificate-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({
  ...managerFlags,
  "acme-directory": {
    type: "string",
    help: "the ACME server; the staging one of Let's Encrypt without",
  },
  "acme-email": { type: "string", help: "whom the ACME server writes to" },
});

const manager = createManager({
  name: "mini-cert",
  ...managerOptions(flags, { leaderElection: { id: "mini-cert.example.com" } }),
});

setUpCertificate(manager, {
  directoryUrl: flags["acme-directory"] ?? directory.letsencrypt.staging,
  email: flags["acme-email"],
});
await manager.start(setupSignalHandler());
