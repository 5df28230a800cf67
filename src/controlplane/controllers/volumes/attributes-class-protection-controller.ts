/**
 * VolumeAttributesClasses in use are not deleted: their finalizer is removed when no claim or
 * volume names them.
 *
 * @see https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
 */
import type { SentObject } from "../../../kube/object.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { dropFinalizer } from "../finalizers.ts";
import { concerns } from "../keys.ts";
import { ATTRIBUTES_CLASSES, CLAIMS, VOLUMES } from "../../builtin/tokens.ts";
import type { Controller } from "../work-loop.ts";

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
export class AttributesClassProtectionController implements Controller {
  readonly name = "AttributesClassProtection";
  readonly watches = [ATTRIBUTES_CLASSES, CLAIMS, VOLUMES];
  readonly #client: ControllerClient;

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, ATTRIBUTES_CLASSES)) yield event.object.metadata.name ?? "";
    else yield* [event.object, event.old].flatMap((user) => (user ? classesOf(user) : []));
  }

  async sync(name: string): Promise<undefined> {
    const users = [...this.#client.list(CLAIMS), ...this.#client.list(VOLUMES)];
    if (users.some((user) => classesOf(user).includes(name))) return;
    const found = this.#client.find(ATTRIBUTES_CLASSES, { name });
    await dropFinalizer(this.#client, ATTRIBUTES_CLASSES, found, FINALIZER);
  }
}

function classesOf({ spec, status }: ClassUser): string[] {
  return [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name): name is string => name !== undefined && name !== "");
}
