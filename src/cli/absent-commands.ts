/**
 * Commands that users may look for and that do not exist: those of kubebuilder, and ways to extend Kubernetes that an
 * operator in TypeScript cannot take. Each error names what to use instead.
 */
import type { AnyCommand } from "./command.ts";
import { UsageError } from "../errors.ts";

interface Refusal {
  readonly problem: string;
  readonly fix: string;
}

const OF_PROGRAM: Readonly<Record<string, Refusal>> = {
  generate: {
    problem: "`tsop generate` without a subcommand writes nothing: classes need no generated code.",
    fix: "For CRDs and roles, run `tsop manifests`; for a client package, `tsop generate client`.",
  },
  alpha: {
    problem: "There is no `tsop alpha`: a project never has to be scaffolded again.",
    fix: "Update tsop with npm, then run `tsop manifests`.",
  },
};

const OF_CREATE: Readonly<Record<string, Refusal>> = {
  scheduler: {
    problem:
      "tsop cannot scaffold a scheduler: kube-scheduler plugins are written in Go and compiled into it.",
    fix: "To choose nodes for pods, set their affinity or topologySpreadConstraints in a webhook: tsop create webhook --group core --version v1 --kind Pod --defaulting. For a scheduler of your own: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/",
  },
  cni: {
    problem:
      "tsop cannot scaffold a CNI plugin: a CNI plugin is a binary on every node that the container runtime runs for each pod.",
    fix: "To manage NetworkPolicies or the objects of an existing network, write a controller: tsop create controller --group networking.k8s.io --version v1 --kind NetworkPolicy. For a network of your own: https://www.cni.dev/docs/spec/",
  },
  "device-plugin": {
    problem:
      "tsop cannot scaffold a device plugin: a device plugin is a gRPC server on every node that reports hardware to the kubelet.",
    fix: "To roll out and configure an existing device plugin, write a controller that manages its DaemonSet: tsop create api. For one of your own: https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
  },
};

/** Adds the errors, hidden from help and completion, to the program and to its `create`. */
export function refuseAbsentCommands(program: AnyCommand): void {
  refuse(program, OF_PROGRAM);
  const create = program.commands.find((command) => command.name() === "create");
  if (create) refuse(create, OF_CREATE);
}

function refuse(parent: AnyCommand, refusals: Readonly<Record<string, Refusal>>): void {
  for (const [name, { problem, fix }] of Object.entries(refusals)) {
    const known = parent.commands.find((command) => command.name() === name);
    const refused: AnyCommand = known ?? parent.command(name, { hidden: true });
    refused
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => {
        throw new UsageError(`no-${name}`, problem, fix);
      });
  }
}
