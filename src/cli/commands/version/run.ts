/** `tsop version`: prints the versions of tsop and of its surroundings. */
import { arch, platform } from "node:os";
import { KUBERNETES_VERSION } from "../../../kube/kubernetes-version.ts";
import { packageVersion } from "../../package-info.ts";
import type { Run } from "../../command.ts";
import type { version } from "./flags.ts";

export const run: Run<typeof version> = (options, context) => {
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
};
