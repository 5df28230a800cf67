/**
 * The type of a built-in kind's token: its values at run time are known to the compiler (and the
 * generator) as well.
 */
import type { SentObject } from "./object.ts";
import type { ResourceType } from "./resource.ts";

/** A token whose every part is a literal type; `Deployment` of `tsop/k8s` is one. */
export interface KnownKind<
  T extends SentObject,
  Group extends string,
  Version extends string,
  Kind extends string,
  Plural extends string,
  Namespaced extends boolean,
> extends ResourceType<T> {
  readonly group: Group;
  readonly version: Version;
  readonly kind: Kind;
  readonly plural: Plural;
  readonly namespaced: Namespaced;
}
