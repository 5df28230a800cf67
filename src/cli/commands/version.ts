/** `tsop version`. */
import { arch, platform } from "node:os";
import type { CliContext } from "../context.ts";
import { KUBERNETES_VERSION } from "../../kube/kubernetes-version.ts";
import { packageVersion } from "../package-info.ts";

/** The flags of `tsop version`; both ask for JSON. */
export interface VersionOptions {
  readonly json: boolean;
  readonly output?: "json";
}

/** Prints the versions; returns the exit code. */
export function version(options: VersionOptions, context: CliContext): number {
  const versions = {
    tsop: packageVersion(),
    // The release of Kubernetes whose API, types and messages tsop mirrors.
    kubernetes: KUBERNETES_VERSION.split(".", 2).join("."),
    node: process.versions.node,
    system: `${platform()}/${arch()}`,
  };
  if (options.json || options.output === "json") context.out(JSON.stringify(versions));
  else
    for (const [name, value] of Object.entries(versions)) context.out(`${name.padEnd(11)}${value}`);
  return 0;
}
