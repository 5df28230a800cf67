/**
 * VolumeAttributesClasses in use are not deleted: their finalizer is removed when no claim or
 * volume names them.
 *
 * @see https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
 */
import type { SentObject } from "../../../kube/object.ts";
import type { StoreEvent } from "../client.ts";
import { dropFinalizer } from "../finalizers.ts";
import { ATTRIBUTES_CLASSES, CLAIMS, VOLUMES } from "../../builtin/tokens.ts";
import { Controller, watch } from "../controller.ts";

/** A claim or a volume with its classes. */
interface ClassUser extends SentObject {
  readonly spec?: { readonly volumeAttributesClassName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

const FINALIZER = "kubernetes.io/vac-protection";

/** Removes the finalizers of classes. Keys are their names. */
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
    await dropFinalizer(this.client, ATTRIBUTES_CLASSES, found, FINALIZER);
  }
}

/** The classes that a user has or had. */
const classesBefore = ({ object, old }: StoreEvent<ClassUser>): string[] =>
  [object, old].flatMap((user) => (user ? classesOf(user) : []));

function classesOf({ spec, status }: ClassUser): string[] {
  return [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name): name is string => name !== undefined && name !== "");
}
