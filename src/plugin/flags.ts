/** The flags that every command of a plugin has: kubectl's own, by their names and letters. */

import type { FlagOptions } from "../runtime/manager/flags.ts";

/** The commands of a plugin, as far as they say what a command line may have. */
export interface FlaggedCommands {
  readonly commands: ReadonlyMap<string, { readonly args?: string; readonly flags?: FlagOptions }>;
}

interface SharedFlag {
  readonly type: "boolean" | "string";
  readonly help: string;
  readonly short?: string;
  /** The placeholder of its value in help. */
  readonly value?: string;
  /** The values that it takes, where they are few. */
  readonly values?: readonly string[];
}

export const FORMATS = ["json", "yaml", "wide", "name"] as const;
/** A form of output. */
export type Format = (typeof FORMATS)[number];

/** The flags, in the order of help. */
const FLAGS = {
  namespace: {
    type: "string",
    short: "n",
    value: "name",
    help: "the namespace; that of the context when it is left out",
  },
  "all-namespaces": { type: "boolean", short: "A", help: "the objects of all namespaces" },
  selector: {
    type: "string",
    short: "l",
    value: "labels",
    help: "only objects with these labels: app=web,tier!=db",
  },
  output: {
    type: "string",
    short: "o",
    value: "format",
    values: FORMATS,
    help: "print as json, yaml, wide (more columns) or name",
  },
  "no-headers": { type: "boolean", help: "leave out the headers of columns" },
  kubeconfig: {
    type: "string",
    value: "file",
    help: "the kubeconfig: $KUBECONFIG, ~/.kube/config",
  },
  context: { type: "string", value: "name", help: "the context of the kubeconfig" },
  as: { type: "string", value: "user", help: "act as this user" },
  "as-group": {
    type: "string",
    value: "groups",
    help: "with --as: act as a member of these groups, separated by commas",
  },
  help: { type: "boolean", short: "h", help: "print this" },
} as const satisfies Readonly<Record<string, SharedFlag>>;

export const SHARED_FLAGS: Readonly<Record<string, SharedFlag>> = FLAGS;

export interface SharedValues {
  readonly namespace?: string;
  readonly allNamespaces: boolean;
  readonly selector?: string;
  readonly output?: Format;
  readonly noHeaders: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly as?: string;
  readonly asGroups: readonly string[];
}
