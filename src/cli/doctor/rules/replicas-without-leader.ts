/** Operators with several replicas that do not elect a leader. */
import type { Rule } from "../rule.ts";
import { textsAt, valueAt } from "../values.ts";
import { podTemplates } from "../workloads.ts";

export const replicasWithoutLeader: Rule = {
  name: "replicas-without-leader",
  about:
    "A manager has several replicas but no leader election, so all of them reconcile the same objects concurrently.",
  example:
    "spec:\n  replicas: 2\n  template: # labels: { control-plane: controller-manager }, args without --leader-elect",
  *find(examined) {
    for (const { manifest, labels, containers, path } of podTemplates(examined)) {
      const replicas = valueAt(manifest.value, ["spec", "replicas"]);
      if (labels["control-plane"] !== "controller-manager" || typeof replicas !== "number")
        continue;
      const args = containers.flatMap((one) => [
        ...textsAt(one, ["args"]),
        ...textsAt(one, ["command"]),
      ]);
      const elects = args.some((arg) =>
        /^--(?:leader-elect|enable-leader-election|shards?)\b(?!=false)/.test(arg),
      );
      if (replicas < 2 || elects) continue;
      yield {
        place: manifest.at([...path, "spec", "containers", 0]),
        message: `${manifest.kind} ${manifest.name} has ${replicas} replicas but no leader election.`,
        fix: "Add --leader-elect to the arguments of the manager.",
      };
    }
  },
};
