/**
 * Claims, volumes and attributes classes in use are not deleted: their finalizers are removed when
 * they are no longer in use.
 *
 * @see
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
import type { SentObject } from "../../../kube/object.ts";
import type {
  Condition,
  PersistentVolume,
  PersistentVolumeClaim,
} from "../../builtin/shared/shapes.ts";
import { ATTRIBUTES_CLASSES, CLAIMS, PODS, VOLUMES } from "../../builtin/tokens.ts";
import type { ResourceName } from "../../resource-name.ts";
import type { ControllerClient, StoreEvent } from "../framework/client.ts";
import { withCondition } from "../framework/conditions.ts";
import { Controller, watch } from "../framework/controller.ts";
import { keyFrom } from "../framework/keys.ts";
import { isFinished } from "../pods/pods.ts";
import { usedClaims, usersOf } from "./claims.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";
const CLASS_FINALIZER = "kubernetes.io/vac-protection";

const USED: Condition = {
  type: "Unused",
  status: "False",
  reason: "PodUsingPVC",
  message: "A pod is currently referencing this PVC",
};
const UNUSED: Condition = {
  type: "Unused",
  status: "True",
  reason: "NoPodsUsingPVC",
  message: "No pods are currently referencing this PVC",
};

/** Removes the finalizers of claims and volumes, and notes which claims are in use. */
export class ClaimProtectionController extends Controller {
  readonly name = "ClaimProtection";
  readonly watches = [watch(CLAIMS), watch(VOLUMES), watch(PODS, usedClaims)];

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    if (namespace === "") {
      const volume = this.client.find(VOLUMES, { name });
      if (volume?.status?.phase !== "Bound") {
        await dropFinalizer(this.client, VOLUMES, volume, VOLUME_FINALIZER);
      }
      return;
    }
    const users = usersOf(this.client, { namespace, name }).filter((pod) => !isFinished(pod));
    const claim = this.client.find(CLAIMS, { namespace, name });
    if (claim) await this.#noteUse(claim, users.length > 0);
    // A pod without a node will not be started with a claim that is being deleted.
    if (users.every((pod) => !pod.spec.nodeName)) {
      await dropFinalizer(this.client, CLAIMS, claim, CLAIM_FINALIZER);
    }
  }

  /** Writes into the status of a bound claim whether a pod names it, and since when none does. */
  async #noteUse(claim: PersistentVolumeClaim, isUsed: boolean): Promise<void> {
    const { metadata, status } = claim;
    if (metadata.deletionTimestamp || status?.phase !== "Bound") return;
    const use = isUsed ? USED : UNUSED;
    const known = status.conditions?.find(({ type }) => type === use.type);
    if (known?.status === use.status) return;
    const conditions = withCondition(status.conditions, use, this.clock.now());
    await this.client.updateStatus(CLAIMS, claim, { ...status, conditions });
  }
}

/**
 * Removes the finalizers of VolumeAttributesClasses, by name, that no claim or volume names.
 *
 * @see https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
 */
export class AttributesClassProtectionController extends Controller {
  readonly name = "AttributesClassProtection";
  readonly watches = [
    watch(ATTRIBUTES_CLASSES, ({ object }) => [object.metadata.name ?? ""]),
    watch(CLAIMS, classesBefore),
    watch(VOLUMES, classesBefore),
  ];

  async sync(name: string): Promise<undefined> {
    const users = [...this.client.list(CLAIMS), ...this.client.list(VOLUMES)];
    if (users.some((user) => classesOf(user).includes(name))) return;
    const found = this.client.find(ATTRIBUTES_CLASSES, { name });
    await dropFinalizer(this.client, ATTRIBUTES_CLASSES, found, CLASS_FINALIZER);
  }
}

type ClassUser = PersistentVolume | PersistentVolumeClaim;

/** The classes that a user has or had. */
const classesBefore = ({ object, old }: StoreEvent<ClassUser>): string[] =>
  [object, old].flatMap((user) => (user ? classesOf(user) : []));

function classesOf({ spec, status }: ClassUser): string[] {
  const changing: PersistentVolumeClaim["status"] = status;
  return [
    spec.volumeAttributesClassName,
    changing?.currentVolumeAttributesClassName,
    changing?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].flatMap((name) => name || []);
}

/** Removes the finalizer of an object that is being deleted and not in use. Other objects stay as they are. */
async function dropFinalizer(
  client: ControllerClient,
  resource: ResourceName,
  object: SentObject | undefined,
  finalizer: string,
): Promise<void> {
  const { finalizers = [], deletionTimestamp } = object?.metadata ?? {};
  if (!object || !deletionTimestamp || !finalizers.includes(finalizer)) return;
  const rest = finalizers.filter((one) => one !== finalizer);
  const metadata = { finalizers: rest.length > 0 ? rest : null };
  await client.patch(resource, object.metadata, { metadata });
}
