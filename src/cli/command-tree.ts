/** All commands, in the order of `tsop --help`. */
import { command, group, type CommandNode } from "./command-node.ts";
import { build } from "./commands/build/flags.ts";
import { bundle } from "./commands/bundle/flags.ts";
import { chart } from "./commands/chart/flags.ts";
import { cluster } from "./commands/cluster/flags.ts";
import { completion } from "./commands/completion/flags.ts";
import { completionWords } from "./commands/completion-words/flags.ts";
import { createApi } from "./commands/create/api/flags.ts";
import { createController } from "./commands/create/controller/flags.ts";
import { createPlugin } from "./commands/create/plugin/flags.ts";
import { createWebhook } from "./commands/create/webhook/flags.ts";
import { deleteApi } from "./commands/delete/api/flags.ts";
import { deleteController } from "./commands/delete/controller/flags.ts";
import { deletePlugin } from "./commands/delete/plugin/flags.ts";
import { deleteWebhook } from "./commands/delete/webhook/flags.ts";
import { deploy } from "./commands/deploy/flags.ts";
import { dev } from "./commands/dev/flags.ts";
import { doctor } from "./commands/doctor/flags.ts";
import { edit } from "./commands/edit/flags.ts";
import { explain } from "./commands/explain/flags.ts";
import { generateClient } from "./commands/generate/client/flags.ts";
import { image } from "./commands/image/flags.ts";
import { importCrds } from "./commands/import/flags.ts";
import { init } from "./commands/init/flags.ts";
import { install } from "./commands/install/flags.ts";
import { krew } from "./commands/krew/flags.ts";
import { list } from "./commands/list/flags.ts";
import { manifests } from "./commands/manifests/flags.ts";
import { migrate } from "./commands/migrate/flags.ts";
import { plan } from "./commands/plan/flags.ts";
import { replay } from "./commands/replay/flags.ts";
import { runOperator } from "./commands/run/flags.ts";
import { undeploy } from "./commands/undeploy/flags.ts";
import { uninstall } from "./commands/uninstall/flags.ts";
import { upgrade } from "./commands/upgrade/flags.ts";
import { validate } from "./commands/validate/flags.ts";
import { version } from "./commands/version/flags.ts";
import { why } from "./commands/why/flags.ts";

/** Commands under one heading of `tsop --help`. */
interface Section {
  readonly heading: string;
  readonly commands: readonly CommandNode[];
}

export const COMMAND_TREE: readonly Section[] = [
  {
    heading: "Project:",
    commands: [
      command(init, () => import("./commands/init/run.ts")),
      command(edit, () => import("./commands/edit/run.ts")),
      command(upgrade, () => import("./commands/upgrade/run.ts")),
      command(list, () => import("./commands/list/run.ts")),
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
          command(createApi, () => import("./commands/create/api/run.ts")),
          command(createController, () => import("./commands/create/controller/run.ts")),
          command(createWebhook, () => import("./commands/create/webhook/run.ts")),
          command(createPlugin, () => import("./commands/create/plugin/run.ts")),
        ],
      ),
      group({ name: "delete", description: "Delete from a project what `tsop create` added." }, [
        command(deleteApi, () => import("./commands/delete/api/run.ts")),
        command(deleteController, () => import("./commands/delete/controller/run.ts")),
        command(deleteWebhook, () => import("./commands/delete/webhook/run.ts")),
        command(deletePlugin, () => import("./commands/delete/plugin/run.ts")),
      ]),
      command(manifests, () => import("./commands/manifests/run.ts")),
      command(importCrds, () => import("./commands/import/run.ts")),
      group({ name: "generate", description: "Generate code for other projects." }, [
        command(generateClient, () => import("./commands/generate/client/run.ts")),
      ]),
    ],
  },
  {
    heading: "Cluster:",
    commands: [
      command(install, () => import("./commands/install/run.ts")),
      command(uninstall, () => import("./commands/uninstall/run.ts")),
      command(plan, () => import("./commands/plan/run.ts")),
      command(deploy, () => import("./commands/deploy/run.ts")),
      command(undeploy, () => import("./commands/undeploy/run.ts")),
      command(migrate, () => import("./commands/migrate/run.ts")),
    ],
  },
  {
    heading: "Develop:",
    commands: [
      command(dev, () => import("./commands/dev/run.ts")),
      command(cluster, () => import("./commands/cluster/run.ts")),
      command(runOperator, () => import("./commands/run/run.ts")),
    ],
  },
  {
    heading: "Debug:",
    commands: [
      command(why, () => import("./commands/why/run.ts")),
      command(replay, () => import("./commands/replay/run.ts")),
      command(doctor, () => import("./commands/doctor/run.ts")),
      command(validate, () => import("./commands/validate/run.ts")),
      command(explain, () => import("./commands/explain/run.ts")),
    ],
  },
  {
    heading: "Package:",
    commands: [
      command(build, () => import("./commands/build/run.ts")),
      command(image, () => import("./commands/image/run.ts")),
      command(chart, () => import("./commands/chart/run.ts")),
      command(bundle, () => import("./commands/bundle/run.ts")),
      command(krew, () => import("./commands/krew/run.ts")),
    ],
  },
  {
    heading: "Other:",
    commands: [
      command(version, () => import("./commands/version/run.ts")),
      command(completion, () => import("./commands/completion/run.ts")),
      command(completionWords, () => import("./commands/completion-words/run.ts")),
    ],
  },
];
