/**
 * Commands that users may look for and that are not here: those of kubebuilder, and the ways to extend Kubernetes that
 * are no matter of an operator in TypeScript. Each names what to use instead.
 */
import type { Command } from "commander";
import { UsageError } from "../errors.ts";

interface Word {
  readonly problem: string;
  readonly fix: string;
}

const WORDS: Readonly<Record<string, Word>> = {
  alpha: {
    problem: "There is no `tsop alpha`: nothing of a project has to be scaffolded again.",
    fix: "Update tsop with npm, then run `tsop manifests`.",
  },
};

const EXTENSIONS: Readonly<Record<string, Word>> = {
  scheduler: {
    problem:
      "tsop scaffolds no scheduler: plugins of kube-scheduler are written in Go and compiled into it.",
    fix: "To choose nodes for pods, set their affinity or topologySpreadConstraints in a webhook: tsop create webhook --group core --version v1 --kind Pod --defaulting. For a scheduler of your own: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/",
  },
  cni: {
    problem:
      "tsop scaffolds no CNI plugin: it is a program on every node, which the container runtime starts for each pod.",
    fix: "To keep NetworkPolicies or the objects of a network that is there, write a controller: tsop create controller --group networking.k8s.io --version v1 --kind NetworkPolicy. For a network of your own: https://www.cni.dev/docs/spec/",
  },
  "device-plugin": {
    problem:
      "tsop scaffolds no device plugin: it is a gRPC server on every node, which the kubelet asks about hardware.",
    fix: "To roll out and configure a device plugin that is there, write a controller that keeps its DaemonSet: tsop create api. For one of your own: https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
  },
};

/** Adds the words of kubebuilder, hidden from help and completion, to the program. */
export function addKubebuilderWords(program: Command): void {
  addWords(program, WORDS);
}

/** Adds the other ways to extend Kubernetes, hidden from help and completion, to `create`. */
export function addOtherExtensions(create: Command): void {
  addWords(create, EXTENSIONS);
}

function addWords(command: Command, words: Readonly<Record<string, Word>>): void {
  for (const [name, { problem, fix }] of Object.entries(words)) {
    command
      .command(name, { hidden: true })
      .argument("[words...]")
      .allowUnknownOption()
      .action(() => {
        throw new UsageError(`no-${name}`, problem, fix);
      });
  }
}
