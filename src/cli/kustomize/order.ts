/** The order of the rendered objects: what others need first, what intercepts requests last. */
import type { KindSelector, Manifest } from "./resource.ts";

/** The order that a kustomization wants its objects in. */
export interface SortOptions {
  readonly order?: string;
  readonly legacySortOptions?: {
    readonly orderFirst: readonly string[];
    readonly orderLast: readonly string[];
  };
}

const FIRST = (
  "Namespace ResourceQuota StorageClass CustomResourceDefinition ServiceAccount PodSecurityPolicy Role " +
  "ClusterRole RoleBinding ClusterRoleBinding ConfigMap Secret Endpoints Service LimitRange " +
  "PriorityClass PersistentVolume PersistentVolumeClaim Deployment StatefulSet CronJob " +
  "PodDisruptionBudget"
).split(" ");
const LAST = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** The manifests in the order of applying; the reverse is the order of removal. */
export function sortManifests(
  manifests: readonly Manifest[],
  { order = "legacy", legacySortOptions }: SortOptions = {},
): Manifest[] {
  if (order === "fifo") return [...manifests];
  const { orderFirst, orderLast } = legacySortOptions ?? { orderFirst: FIRST, orderLast: LAST };
  const rank = (kind: string): number => {
    const last = orderLast.lastIndexOf(kind);
    if (last >= 0) return last + 1;
    const first = orderFirst.lastIndexOf(kind);
    return first < 0 ? 0 : first - orderFirst.length;
  };
  return manifests
    .map((manifest) => {
      const { group, version, kind, name, namespace } = manifest.id;
      const gvk = kindText({ group, version, kind });
      const place = `${namespace === "" ? "~X" : namespace}|${name}`;
      return { manifest, kind, group, rank: rank(kind), gvk, place };
    })
    .sort((one, other) => {
      if (one.gvk === other.gvk) return compareTexts(one.place, other.place);
      if (one.rank !== other.rank) return one.rank - other.rank;
      // The Namespace of the core group comes before kinds of that name in other groups.
      const reversed = one.kind === "Namespace" && (one.group === "" || other.group === "");
      return compareTexts(one.gvk, other.gvk) * (reversed && other.kind === "Namespace" ? -1 : 1);
    })
    .map(({ manifest }) => manifest);
}

/** The order of kustomize's configuration: by kind, as objects are ordered. */
export function compareKinds(one: KindSelector, other: KindSelector): number {
  const rank = ({ kind = "" }: KindSelector): number => {
    const first = FIRST.indexOf(kind);
    return first < 0 ? LAST.indexOf(kind) + 1 : first - FIRST.length;
  };
  return rank(one) - rank(other) || compareTexts(kindText(one), kindText(other));
}

function kindText({ group = "", version = "", kind = "" }: KindSelector): string {
  return `${group === "" ? "~G" : group}_${version === "" ? "~V" : version}_${kind === "" ? "~K" : kind}`;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
