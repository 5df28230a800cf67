/**
 * `tsop version`.
 *
 * @module
 */
import { arch, platform } from "node:os";
import type { CliContext } from "../context.ts";
import { packageVersion } from "../package-info.ts";

/** The Kubernetes whose API, types and messages tsop mirrors. */
const KUBERNETES = "1.36";

/** Prints the versions; returns the exit code. */
export function version(options: { readonly json: boolean }, context: CliContext): number {
  const versions = {
    tsop: packageVersion(),
    kubernetes: KUBERNETES,
    node: process.versions.node,
    system: `${platform()}/${arch()}`,
  };
  if (options.json) context.out(JSON.stringify(versions));
  else
    for (const [name, value] of Object.entries(versions)) context.out(`${name.padEnd(11)}${value}`);
  return 0;
}
