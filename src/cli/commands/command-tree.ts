/** All commands, in the order of `tsop --help`. */
import { command, group, type CommandNode } from "../command-node.ts";
import { build } from "./build/flags.ts";
import { bundle } from "./bundle/flags.ts";
import { chart } from "./chart/flags.ts";
import { cluster } from "./cluster/flags.ts";
import { completion } from "./completion/flags.ts";
import { completionWords } from "./completion-words/flags.ts";
import { createApi } from "./create/api/flags.ts";
import { createController } from "./create/controller/flags.ts";
import { createPlugin } from "./create/plugin/flags.ts";
import { createWebhook } from "./create/webhook/flags.ts";
import { deleteApi } from "./delete/api/flags.ts";
import { deleteController } from "./delete/controller/flags.ts";
import { deletePlugin } from "./delete/plugin/flags.ts";
import { deleteWebhook } from "./delete/webhook/flags.ts";
import { deploy } from "./deploy/flags.ts";
import { dev } from "./dev/flags.ts";
import { doctor } from "./doctor/flags.ts";
import { edit } from "./edit/flags.ts";
import { explain } from "./explain/flags.ts";
import { generateClient } from "./generate/client/flags.ts";
import { image } from "./image/flags.ts";
import { importCrds } from "./import/flags.ts";
import { init } from "./init/flags.ts";
import { install } from "./install/flags.ts";
import { krew } from "./krew/flags.ts";
import { list } from "./list/flags.ts";
import { manifests } from "./manifests/flags.ts";
import { migrate } from "./migrate/flags.ts";
import { plan } from "./plan/flags.ts";
import { replay } from "./replay/flags.ts";
import { runOperator } from "./run/flags.ts";
import { undeploy } from "./undeploy/flags.ts";
import { uninstall } from "./uninstall/flags.ts";
import { upgrade } from "./upgrade/flags.ts";
import { validate } from "./validate/flags.ts";
import { version } from "./version/flags.ts";
import { why } from "./why/flags.ts";

/** Commands under one heading of `tsop --help`. */
interface Section {
  readonly heading: string;
  readonly commands: readonly CommandNode[];
}

export const COMMAND_TREE: readonly Section[] = [
  {
    heading: "Project:",
    commands: [
      command(init, () => import("./init/run.ts")),
      command(edit, () => import("./edit/run.ts")),
      command(upgrade, () => import("./upgrade/run.ts")),
      command(list, () => import("./list/run.ts")),
    ],
  },
  {
    heading: "Generate:",
    commands: [
      group(
        {
          name: "create",
          description: "Add a kind, a controller, webhooks, or a kubectl plugin to a project.",
        },
        [
          command(createApi, () => import("./create/api/run.ts")),
          command(createController, () => import("./create/controller/run.ts")),
          command(createWebhook, () => import("./create/webhook/run.ts")),
          command(createPlugin, () => import("./create/plugin/run.ts")),
        ],
      ),
      group({ name: "delete", description: "Delete from a project what `tsop create` added." }, [
        command(deleteApi, () => import("./delete/api/run.ts")),
        command(deleteController, () => import("./delete/controller/run.ts")),
        command(deleteWebhook, () => import("./delete/webhook/run.ts")),
        command(deletePlugin, () => import("./delete/plugin/run.ts")),
      ]),
      command(manifests, () => import("./manifests/run.ts")),
      command(importCrds, () => import("./import/run.ts")),
      group({ name: "generate", description: "Generate code for other projects." }, [
        command(generateClient, () => import("./generate/client/run.ts")),
      ]),
    ],
  },
  {
    heading: "Cluster:",
    commands: [
      command(install, () => import("./install/run.ts")),
      command(uninstall, () => import("./uninstall/run.ts")),
      command(plan, () => import("./plan/run.ts")),
      command(deploy, () => import("./deploy/run.ts")),
      command(undeploy, () => import("./undeploy/run.ts")),
      command(migrate, () => import("./migrate/run.ts")),
    ],
  },
  {
    heading: "Develop:",
    commands: [
      command(dev, () => import("./dev/run.ts")),
      command(cluster, () => import("./cluster/run.ts")),
      command(runOperator, () => import("./run/run.ts")),
    ],
  },
  {
    heading: "Debug:",
    commands: [
      command(why, () => import("./why/run.ts")),
      command(replay, () => import("./replay/run.ts")),
      command(doctor, () => import("./doctor/run.ts")),
      command(validate, () => import("./validate/run.ts")),
      command(explain, () => import("./explain/run.ts")),
    ],
  },
  {
    heading: "Package:",
    commands: [
      command(build, () => import("./build/run.ts")),
      command(image, () => import("./image/run.ts")),
      command(chart, () => import("./chart/run.ts")),
      command(bundle, () => import("./bundle/run.ts")),
      command(krew, () => import("./krew/run.ts")),
    ],
  },
  {
    heading: "Other:",
    commands: [
      command(version, () => import("./version/run.ts")),
      command(completion, () => import("./completion/run.ts")),
      command(completionWords, () => import("./completion-words/run.ts")),
    ],
  },
];
