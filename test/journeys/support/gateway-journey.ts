/**
 * `examples/gateway` as its users see it, with kubectl, while its operator answers and reconciles.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../src/testing.ts";
import type { Kubectl } from "../../support/kubectl.ts";
import { expectSame } from "./webhook-journey.ts";

/** Applies the samples, and looks at what webhooks and controller make of them. @throws Error what is not as it should be */
export async function lookAtGateways(kubectl: Kubectl, folder: string): Promise<void> {
  const sample = (version: string): string =>
    readFileSync(join(folder, `config/samples/edge_${version}_gateway.yaml`), "utf8");
  const read = async (version: string, name: string, path: string): Promise<string> => {
    const kind = `gateways.${version}.edge.example.com`;
    return kubectl.output(["get", kind, name, "-n", "default", "-o", `jsonpath={${path}}`]);
  };
  const apply = ["apply", "-n", "default", "-f", "-"];

  await eventually(() => kubectl.output(apply, sample("v1")), { timeoutMs: 60_000 });
  await kubectl.output(apply, sample("v1alpha1"));
  expectSame(
    await read("v1alpha1", "shop", ".spec.timeoutSeconds"),
    "2",
    ".spec.timeoutSeconds of shop in v1alpha1",
  );
  expectSame(await read("v1", "shop", ".spec.timeoutMs"), "1500", ".spec.timeoutMs of shop in v1");
  expectSame(
    await read("v1", "blog", ".spec.hosts[0]"),
    "blog.default.example.com",
    ".spec.hosts[0] of blog in v1",
  );

  const taken = sample("v1").replace("name: shop", "name: rival");
  const reason = 'spec.hosts[0]: Invalid value: "shop.example.com": is served by default/shop';
  // The validator looks into the operator's cache, which knows a moment later what was applied.
  await eventually(
    async () => {
      const refused = await kubectl.run([...apply, "--dry-run=server"], taken);
      if (refused.code === 0 || !refused.stderr.includes(reason)) {
        throw new Error(`a host that is taken: ${refused.code} ${refused.stderr}`);
      }
    },
    { timeoutMs: 60_000 },
  );

  for (const [name, host] of [
    ["shop", "server_name shop.example.com www.shop.example.com;"],
    ["blog", "server_name blog.default.example.com;"],
  ] as const) {
    await eventually(
      async () => {
        const args = ["get", "configmap", name, "-n", "default", "-o", "jsonpath={.data}"];
        const data = await kubectl.output(args);
        if (!data.includes(host)) throw new Error(`no ${host} in ${data}`);
      },
      { timeoutMs: 60_000 },
    );
  }
  await kubectl.output(["delete", "gateways.v1.edge.example.com", "--all", "-n", "default"]);
}
