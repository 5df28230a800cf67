/** The conversion of objects, as the webhook server calls it. */
import type { Converter } from "../../../kube/webhooks/conversion.ts";
import type { KubeObject, SentObject } from "../../../kube/object.ts";

/** A converter between any two versions; its marker has the versions, `conversionOf(converter)`. */
export type AnyConverter = Converter<KubeObject, KubeObject>;

/** Converts objects between the versions that converters were added for. */
export interface ConversionRegistry {
  /**
   * Adds a converter. The server has checked that it has the marker, is the only one for its two
   * versions, and has the hub of its kind.
   */
  add(converter: AnyConverter): void;
  /**
   * Returns the objects in the version `desiredAPIVersion`, in the same order. They may be of
   * several kinds and versions, and must not be changed: the objects of the request are frozen.
   *
   * @param signal - aborted when the API server stops waiting
   * @param path - of the request
   * @throws Error with the reason why one of them cannot be converted: the whole request fails, and
   *   the user sees the message
   */
  convert(
    objects: readonly SentObject[],
    desiredAPIVersion: string,
    signal: AbortSignal,
    path: string,
  ): readonly SentObject[] | Promise<readonly SentObject[]>;
}
