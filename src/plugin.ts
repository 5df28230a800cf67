/**
 * The exports for a plugin of kubectl: a command line as kubectl's own, the cluster that it names, and output in kubectl's forms.
 *
 * @module
 */
export {
  kubectlPlugin,
  type CommandWithFlags,
  type KubectlPlugin,
  pluginCommand,
  type PluginCommand,
  type PluginOptions,
} from "./plugin/plugin.ts";
export type { PluginCall } from "./plugin/call.ts";
export { type Column, columns } from "./plugin/columns.ts";
export { type AnyCondition, conditionsOf } from "./kube/progress/status-view.ts";
export type { Format } from "./plugin/flags.ts";
export { runPlugin } from "./plugin/run.ts";
