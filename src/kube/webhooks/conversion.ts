/**
 * Converters between the versions of a kind: each version but the stored one, the hub, has a
 * converter.
 *
 * @see https://book.kubebuilder.io/multiversion-tutorial/conversion-concepts
 */
import type { KubeObject, Sent } from "../object.ts";

/**
 * The content that a converter converts. Names, labels, annotations and the rest of the metadata
 * are the same in every version, which the API server checks.
 */
export type Content<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata">;

/**
 * Converts objects between the hub, the version that is stored, and a spoke, another version.
 * Fields that the spoke lacks are kept in an annotation and restored, so `fromHub` may leave them
 * out. Objects are converted on their way into the storage too, so the server may not have filled
 * in their metadata.
 */
export interface Converter<Hub extends KubeObject, Spoke extends KubeObject> {
  /** The object in the stored version. */
  toHub(spoke: Sent<Spoke>): Content<Hub>;
  /** The object in the other version. */
  fromHub(hub: Sent<Hub>): Content<Spoke>;
}
