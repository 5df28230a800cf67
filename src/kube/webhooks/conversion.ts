/**
 * What converts the versions of a kind: each version but the stored one, the hub, has a converter.
 *
 * @see https://book.kubebuilder.io/multiversion-tutorial/conversion-concepts
 * @module
 */
import type { KubeObject, Sent } from "../object.ts";

/**
 * What a converter says of an object. Names, labels, annotations and the rest of the metadata are the same in every
 * version, which the API server checks.
 */
export type Content<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata">;

/**
 * Converts objects between the hub, the version that is stored, and a spoke, another version. What the spoke cannot say
 * is kept in an annotation and given back, so `fromHub` may leave it out. Objects are converted on their way into the
 * storage too, so the server may not have filled in their metadata.
 */
export interface Converter<Hub extends KubeObject, Spoke extends KubeObject> {
  /** The object in the version that is stored. */
  toHub(spoke: Sent<Spoke>): Content<Hub>;
  /** The object in the other version. */
  fromHub(hub: Sent<Hub>): Content<Spoke>;
}
