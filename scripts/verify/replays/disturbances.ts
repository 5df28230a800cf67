/** Changes to the objects of an operator by others, so that it has work. */
import { eventually } from "../../../src/testing.ts";
import type { Kubectl } from "../../../test/support/kubectl.ts";

const NAMESPACE = ["-n", "default"];
/** Kubernetes recreates these without delay, and they hold no data. */
const DELETED = "deployments,services,configmaps";
const ROUNDS = 3;
const SETTLED = { timeoutMs: 60_000, intervalMs: 200 };

interface Owned {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences?: readonly {
      readonly apiVersion: string;
      readonly controller?: boolean;
    }[];
  };
}

/**
 * In each round, the samples get another label, and their owned objects are deleted and recreated.
 */
export async function disturb(kubectl: Kubectl, samples: readonly string[]): Promise<void> {
  const files = samples.flatMap((file) => ["-f", file]);
  for (let round = 1; round <= ROUNDS; round++) {
    await kubectl.output(["label", ...NAMESPACE, "--overwrite", ...files, `round=${round}`]);
    for (const { kind, metadata } of await owned(kubectl)) {
      const name = `${kind.toLowerCase()}/${metadata.name}`;
      await kubectl.output(["delete", ...NAMESPACE, "--wait=false", name]);
      await eventually(async () => {
        const found = (await owned(kubectl)).find(
          (one) => one.kind === kind && one.metadata.name === metadata.name,
        );
        if (found === undefined || found.metadata.uid === metadata.uid) {
          throw new Error(`${name} was not made again`);
        }
      }, SETTLED);
    }
  }
}

/** The objects that custom objects own. */
async function owned(kubectl: Kubectl): Promise<readonly Owned[]> {
  const text = await kubectl.output(["get", DELETED, ...NAMESPACE, "-o", "json"]);
  const { items } = JSON.parse(text) as { readonly items: readonly Owned[] };
  return items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(
      ({ apiVersion, controller }) => controller === true && !apiVersion.startsWith("apps/"),
    ),
  );
}
