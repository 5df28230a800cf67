/** One call of a plugin's command: what was asked for, of which cluster, and how it is answered. */
import type { Clock } from "../clock.ts";
import type { KubeObject } from "../kube/object.ts";
import { resourceOf, type ReadToken } from "../kube/resource.ts";
import { isNotFound } from "../kube/status.ts";
import type { Client } from "../runtime/client/client.ts";
import { createClient } from "../runtime/client/create-client.ts";
import type { ClusterConfig } from "../runtime/transport/cluster-config.ts";
import { columns, tableLines, type Column } from "./columns.ts";
import type { CommandLine } from "./command-line.ts";
import { CallError, failureLines } from "./failures.ts";
import type { Format } from "./flags.ts";
import { formatted } from "./output.ts";

/** A call of a command. */
export interface PluginCall<F = Readonly<Record<string, string | number | boolean | undefined>>> {
  /** The cluster of `--kubeconfig` and `--context`, as the user whom they name. */
  readonly client: Client;
  /** The arguments behind the command. */
  readonly args: readonly string[];
  /** The command's own flags. */
  readonly flags: F;
  /** The namespace of `-n` or of the context; `undefined` with `-A`. */
  readonly namespace: string | undefined;
  /** The labels of `-l`, as `client.list` takes them. */
  readonly selector: string | undefined;
  /** The form of `-o`; a table when it is `undefined` or `wide`. */
  readonly format: Format | undefined;
  readonly nowMs: number;
  /**
   * The objects that the arguments name, or all that `-n`, `-A` and `-l` select, as `kubectl get` does. A name that is not
   * found is told, the others are returned, and the exit code is 1.
   *
   * @throws Error for names together with `-A` or `-l`
   */
  readonly select: <T extends KubeObject>(token: ReadToken<T>) => Promise<T[]>;
  /** Prints objects as `-o` asks; the columns are those of a table. Says so when there are none. */
  readonly print: <T extends KubeObject>(
    objects: readonly T[],
    shown: readonly Column<NoInfer<T>>[],
  ) => void;
  /** Prints a table of any rows, each line behind `indent`; `<none>` when there are none. */
  readonly table: <T>(
    rows: readonly T[],
    shown: readonly Column<NoInfer<T>>[],
    indent?: string,
  ) => void;
  /** Prints a line on stdout. */
  readonly out: (line: string) => void;
  /** Prints a line on stderr; the command goes on, and the exit code is 1. */
  readonly fail: (line: string) => void;
}

/** What a call needs of the process. */
export interface CallPorts {
  out(text: string): void;
  err(text: string): void;
  readonly clock: Clock;
  /** The cluster to speak to. @throws TsopError where nothing says which */
  connect(): ClusterConfig;
}

export class RunningCall implements PluginCall {
  readonly args: readonly string[];
  readonly flags: CommandLine["flags"];
  readonly #line: CommandLine;
  readonly #ports: CallPorts;
  readonly #name: string;
  #cluster: { readonly client: Client; readonly config: ClusterConfig } | undefined;
  /** The namespace that was looked into last; none for all of them, or for a kind that is in none. */
  #place: string | undefined;
  #failed = false;

  constructor(name: string, line: CommandLine, ports: CallPorts) {
    this.#name = name;
    this.#line = line;
    this.#ports = ports;
    this.args = line.args;
    this.flags = line.flags;
  }

  /** Whether something was told to have failed. */
  get failed(): boolean {
    return this.#failed;
  }

  get client(): Client {
    return this.#connected().client;
  }

  get namespace(): string | undefined {
    const { allNamespaces, namespace } = this.#line.shared;
    return allNamespaces ? undefined : (namespace ?? this.#connected().config.namespace);
  }

  get selector(): string | undefined {
    return this.#line.shared.selector;
  }

  get format(): Format | undefined {
    return this.#line.shared.output;
  }

  get nowMs(): number {
    return this.#ports.clock.now();
  }

  // Commands take these out of the call by their names.
  readonly select: PluginCall["select"] = async <T extends KubeObject>(
    token: ReadToken<T>,
  ): Promise<T[]> => {
    const { namespaced } = resourceOf(token);
    const namespace = namespaced ? this.namespace : undefined;
    this.#place = namespace;
    if (this.args.length === 0) {
      return this.client.list(token, { namespace, labels: this.selector });
    }
    if (this.selector !== undefined) {
      throw new CallError("name cannot be provided when a selector is specified");
    }
    if (namespaced && namespace === undefined) {
      throw new CallError("a resource cannot be retrieved by name across all namespaces");
    }
    const found: T[] = [];
    for (const name of this.args) {
      try {
        found.push(
          await this.client.get(token, { name, ...(namespace !== undefined && { namespace }) }),
        );
      } catch (error) {
        if (!isNotFound(error)) throw error;
        for (const line of failureLines(error, "")) this.fail(line);
      }
    }
    return found;
  };

  readonly print: PluginCall["print"] = (objects, shown) => {
    const { format } = this;
    if (format !== undefined && format !== "wide") {
      const alone = this.args.length === 1;
      // The one that was asked for is not there, which is told already.
      if (objects.length === 0 && (alone || format === "name")) return;
      this.out(formatted(objects, format, alone));
      return;
    }
    if (objects.length > 0) {
      const everywhere =
        this.#line.shared.allNamespaces && objects[0]?.metadata.namespace !== undefined;
      this.table(objects, everywhere ? [columns.namespace, ...shown] : shown);
    } else if (!this.#failed) {
      const place = this.#place === undefined ? "" : ` in ${this.#place} namespace.`;
      this.#ports.err(`No resources found${place}`);
    }
  };

  readonly table: PluginCall["table"] = (rows, shown, indent = "") => {
    if (rows.length === 0) {
      this.out(`${indent}<none>`);
      return;
    }
    const kept = shown.filter(({ wide = false }) => !wide || this.format === "wide");
    const headers = !this.#line.shared.noHeaders;
    for (const line of tableLines(rows, kept, { nowMs: this.nowMs, headers }))
      this.out(indent + line);
  };

  readonly out = (line: string): void => {
    this.#ports.out(`${line}\n`);
  };

  readonly fail = (line: string): void => {
    this.#failed = true;
    this.#ports.err(line);
  };

  #connected(): { readonly client: Client; readonly config: ClusterConfig } {
    if (this.#cluster) return this.#cluster;
    const { as, asGroups } = this.#line.shared;
    const known = this.#ports.connect();
    const config =
      as === undefined ? known : { ...known, impersonate: { user: as, groups: asGroups } };
    const client = createClient(config, {
      name: `kubectl-${this.#name}`,
      clock: this.#ports.clock,
      warnings: ({ text }) => this.#ports.err(`Warning: ${text}`),
    });
    this.#cluster = { client, config };
    return this.#cluster;
  }
}
