/** The conversion of objects, as the webhook server calls it. */
import type { Converter } from "../../kube/webhooks/conversion.ts";
import type { KubeObject, SentObject } from "../../kube/object.ts";

/** A converter between any two versions: which they are is said by its marker, `conversionOf(converter)`. */
export type AnyConverter = Converter<KubeObject, KubeObject>;

/** Converts objects between the versions that converters were added for. */
export interface ConversionRegistry {
  /** The server has checked that it wears the marker, is the only one for its two versions, and has the kind's hub. */
  add(converter: AnyConverter): void;
  /**
   * The objects in the version `desiredAPIVersion`, in the same order. They may be of several kinds and versions, and are
   * not to be changed: what the server was sent is frozen.
   *
   * @param signal - aborted when the API server stops waiting
   * @throws Error why one of them cannot be converted: that fails the whole request, and the message is shown to the user
   */
  convert(
    objects: readonly SentObject[],
    desiredAPIVersion: string,
    signal: AbortSignal,
  ): readonly SentObject[] | Promise<readonly SentObject[]>;
}
