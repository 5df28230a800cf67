/**
 * Everything that is in a cluster, by name and version: what a command added, changed and took away is the difference of two.
 */
import type { Kubectl } from "../../support/kubectl.ts";

/** They come and go by themselves. */
const PASSING = /^(events|leases|componentstatuses|bindings)\b/;

interface Counted {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly ownerReferences?: readonly unknown[];
  };
}

/** All objects of all kinds, as they are now. */
export class Census {
  readonly #objects: ReadonlyMap<string, Counted>;

  private constructor(objects: readonly Counted[]) {
    this.#objects = new Map(objects.map((object) => [nameOf(object), object]));
  }

  /** Counts every kind that can be listed, with kubectl. */
  static async take(kubectl: Kubectl): Promise<Census> {
    const listed = ["api-resources", "--verbs=list", "--cached=false", "-o", "name"];
    const kinds = (await kubectl.output(listed)).trim().split("\n");
    const counted = kinds.filter((kind) => !PASSING.test(kind)).join(",");
    const text = await kubectl.output(["get", counted, "-A", "-o", "json"]);
    return new Census((JSON.parse(text) as { readonly items: readonly Counted[] }).items);
  }

  /** What is here and was not there, without what the cluster makes of such objects by itself. */
  addedSince(before: Census): string[] {
    return [...this.#objects]
      .filter(([name, object]) => !before.#objects.has(name) && !isDerived(object))
      .map(([name]) => name)
      .sort();
  }

  /** What was there and is gone, or is there with another content. */
  touchedSince(before: Census): string[] {
    return [...before.#objects]
      .filter(([name, { metadata }]) => {
        const now = this.#objects.get(name)?.metadata;
        return now?.uid !== metadata.uid || now.resourceVersion !== metadata.resourceVersion;
      })
      .map(([name]) => name)
      .sort();
  }

  /** Every difference in either direction; none where nothing was done. */
  differenceFrom(before: Census): string[] {
    const added = [...this.#objects.keys()].filter((name) => !before.#objects.has(name));
    return [
      ...added.map((name) => `added: ${name}`),
      ...this.touchedSince(before).map((name) => `touched: ${name}`),
    ];
  }
}

function nameOf({ apiVersion, kind, metadata }: Counted): string {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0] ?? ""}` : "";
  const namespace = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
  return `${kind}${group} ${namespace}${metadata.name}`;
}

/** What controllers of the cluster make: of Deployments, of Services, in each namespace, of CRDs. */
function isDerived({ kind, metadata }: Counted): boolean {
  return (
    metadata.ownerReferences !== undefined ||
    ["APIService", "Endpoints", "IPAddress"].includes(kind) ||
    (kind === "ConfigMap" && metadata.name === "kube-root-ca.crt") ||
    (kind === "ServiceAccount" && metadata.name === "default")
  );
}
