/**
 * The objects that a deployed operator created for itself, outside of its reconciles: the Secrets of its webhooks and
 * its Leases. They carry the operator's marks, and count only beside a Service or a Deployment of this project.
 */
import type { Clock } from "../../clock.ts";
import type { KubeObject, ManifestObject } from "../../kube/object.ts";
import {
  CRD_ANNOTATION,
  MANAGED_BY,
  MANAGER,
  SERVICE_ANNOTATION,
  SHARDS_LABEL,
} from "../../kube/operator-marks.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import type { Lease } from "../../runtime/leader-election/lease.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { ownerName, standingOf } from "./ownership.ts";
import type { Project } from "../project/project-file.ts";

/** A holder that has not renewed its Lease for so long has ended, also by a clock that is a little wrong. */
const SURELY_OVER_MS = 60_000;

/** A namespace in which the project has an operator. */
interface OperatorPlace {
  readonly namespace: string;
  readonly services: ReadonlySet<string>;
  readonly deployments: ReadonlySet<string>;
  /** CRDs are in no namespace: all of the project's. */
  readonly crds: ReadonlySet<string>;
}

/** The objects of operators in some namespaces. */
export interface OperatorObjects {
  /** The live objects. */
  find(): Promise<readonly KubeObject[]>;
  /** Whether a live object still is one of them: to be asked just before it is deleted. */
  isOne(live: KubeObject): boolean;
  /** Sentences about the kinds that could not be searched. */
  readonly notes: readonly string[];
}

/**
 * Looks where the project has operators now; call it before their Services and Deployments are deleted.
 *
 * @param objects - the rendered objects of the deployment
 */
export async function operatorObjects(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  project: Pick<Project, "projectName" | "domain">,
  clock: Clock,
): Promise<OperatorObjects> {
  const places = await placesOf(session, objects, ownerName(project));
  const notes: string[] = [];
  const isOne = (live: KubeObject): boolean => {
    const place = places.find(({ namespace }) => namespace === live.metadata.namespace);
    if (!place) return false;
    return live.kind === "Lease"
      ? isLeaseOf(live, place, project, clock.now())
      : isSecretOf(live, place);
  };
  const kinds = [
    { apiVersion: "v1", kind: "Secret" },
    { apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
  ];
  return {
    notes,
    isOne,
    async find() {
      notes.length = 0;
      const found: KubeObject[] = [];
      for (const kind of kinds) {
        const resource = await session.findResource(kind);
        if (!resource) continue;
        for (const { namespace } of places) {
          if (await session.isAllowed("list", resource, namespace)) {
            found.push(...(await session.list(resource, namespace)).filter(isOne));
          } else {
            notes.push(
              `you are not allowed to list ${groupResourceOf(resource)} in the namespace ${namespace}, so those that the operator created there are kept`,
            );
          }
        }
      }
      return found;
    },
  };
}

async function placesOf(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  owner: string,
): Promise<readonly OperatorPlace[]> {
  const namesIn = async (kind: string, namespace: string): Promise<ReadonlySet<string>> => {
    const names = new Set<string>();
    for (const object of objects) {
      const { namespace: place = namespace, name } = object.metadata;
      if (object.kind !== kind || place !== namespace) continue;
      if (await isMade(session, object, { owner, namespace })) names.add(name);
    }
    return names;
  };
  const namespaces = new Set(
    objects.flatMap(({ kind, metadata }) =>
      kind === "Deployment" && metadata.namespace !== undefined ? [metadata.namespace] : [],
    ),
  );
  return Promise.all(
    [...namespaces].map(async (namespace) => ({
      namespace,
      services: await namesIn("Service", namespace),
      deployments: await namesIn("Deployment", namespace),
      crds: await namesIn("CustomResourceDefinition", namespace),
    })),
  );
}

/** Whether the project made the object or took it over, or made the operator's namespace where the object is gone already. */
async function isMade(
  session: ClusterSession,
  object: ManifestObject,
  { owner, namespace }: { readonly owner: string; readonly namespace: string },
): Promise<boolean> {
  const standing = standingOf(await session.find(object), owner);
  if (standing !== "absent") return standing !== "foreign";
  const around = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  return standingOf(await session.find(around), owner) === "made";
}

const isMarked = ({ metadata }: KubeObject): boolean => metadata.labels?.[MANAGED_BY] === MANAGER;

function isSecretOf(live: KubeObject, { services, crds }: OperatorPlace): boolean {
  const { annotations = {} } = live.metadata;
  const isFor = services.has(annotations[SERVICE_ANNOTATION] ?? "");
  return isMarked(live) && (isFor || crds.has(annotations[CRD_ANNOTATION] ?? ""));
}

/** Leases of earlier versions have no mark, but the name that `tsop init` writes. */
function isLeaseOf(
  live: Lease,
  { deployments }: OperatorPlace,
  project: Pick<Project, "projectName" | "domain">,
  nowMs: number,
): boolean {
  const { name, labels = {}, managedFields = [] } = live.metadata;
  const owner = ownerName(project);
  const isNamed = name === owner || labels[SHARDS_LABEL] === owner;
  const isWritten = managedFields.every(({ manager }) => manager === project.projectName);
  if (deployments.size === 0 || !(isNamed || (isMarked(live) && isWritten))) return false;
  const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 0 } = live.spec ?? {};
  if ([...deployments].some((deployment) => holderIdentity.startsWith(`${deployment}-`))) {
    return true;
  }
  const overMs = Date.parse(renewTime) + Math.max(SURELY_OVER_MS, leaseDurationSeconds * 2000);
  return holderIdentity === "" || !(nowMs < overMs);
}
