/** An operator as a process of its own, which makes the mistake of its last argument. */
import { ConfigMap } from "../../../src/k8s.ts";
import {
  controllerFor,
  createManager,
  loadClusterConfig,
  managerFlags,
  managerOptions,
  readFlags,
  setupSignalHandler,
  type Outcome,
} from "../../../src/index.ts";
import { systemClock } from "../../../src/clock.ts";

const flags = readFlags({ ...managerFlags, mistake: { type: "string", help: "the mistake" } });
const { mistake = "" } = flags;
const secret = { config: { headers: { authorization: "Bearer hunter2" } } };

if (mistake === "start") throw new Error("no settings");

const manager = createManager({
  name: "shop",
  config: loadClusterConfig({ kubeconfigText: process.env["TEST_KUBECONFIG"] ?? "" }),
  ...managerOptions(flags, { leaderElection: { id: `shop-${mistake}` } }),
});

controllerFor(manager)
  .named("web")
  .for(ConfigMap)
  .complete({
    async reconcile({ key }): Promise<Outcome> {
      if (key.name !== "one") return;
      await systemClock.sleep(1);
      if (mistake === "forgotten-await") {
        void systemClock.sleep(1).then(() => {
          throw Object.assign(new Error("nobody awaits me"), secret);
        });
      }
      if (mistake === "timer") {
        systemClock.after(1, () => {
          throw Object.assign(new TypeError("thrown in a timer"), secret);
        });
      }
      if (mistake === "block") {
        systemClock.after(4000, () => process.kill(process.pid, "SIGTERM"));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
      }
      if (mistake === "term") {
        process.kill(process.pid, "SIGUSR2");
        await systemClock.sleep(50);
        process.kill(process.pid, "SIGTERM");
        await systemClock.sleep(200);
      }
    },
  });

await manager.start(setupSignalHandler());
