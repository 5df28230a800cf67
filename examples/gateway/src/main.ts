/**
 * Starts the operator with the settings from the command line.
 */
import {
  createManager,
  managerFlags,
  managerOptions,
  readFlags,
  setupSignalHandler,
  webhookFlags,
  webhookOptions,
} from "tsop";
import { setUpGateway } from "./controllers/gateway-controller.ts";
import { GatewayDefaulter } from "./webhooks/gateway-defaulter.ts";
import { GatewayValidator } from "./webhooks/gateway-validator.ts";
import { GatewayV1alpha1Conversion } from "./webhooks/gateway-v1alpha1-conversion.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({ ...managerFlags, ...webhookFlags });

const manager = createManager({
  name: "gateway",
  ...managerOptions(flags, { leaderElection: { id: "gateway.example.com" } }),
  ...webhookOptions(flags, { namePrefix: "gateway-" }),
});

setUpGateway(manager);
manager.webhooks.add(new GatewayDefaulter());
manager.webhooks.add(new GatewayValidator(manager.client));
manager.webhooks.add(new GatewayV1alpha1Conversion());
await manager.start(setupSignalHandler());
