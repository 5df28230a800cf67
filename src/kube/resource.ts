/**
 * Tokens: the values that name a kind in code.
 *
 * A built-in kind is a `ResourceType` (`Deployment` of `tsop/k8s`); a kind of the user is its
 * class, to which `@Resource` has attached one. `resourceOf` makes them equal.
 */
import { TsopError } from "../errors.ts";
import type { KubeObject, SentObject } from "./object.ts";

/** The facts about a kind that a client needs. */
export interface ResourceInfo {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether only the metadata of objects is read. */
  readonly metadataOnly?: true;
  /** Whether another project owns the CRD. */
  readonly external?: boolean;
}

declare const objectType: unique symbol;
declare const onlyMetadata: unique symbol;

/** A kind whose objects can be read as `T`. */
interface ReadableType<T extends SentObject> extends ResourceInfo {
  /** Only for the compiler: carries `T`. */
  readonly [objectType]?: T;
}

/** A kind whose objects have the type `T`. */
export interface ResourceType<T extends SentObject = KubeObject> extends ReadableType<T> {
  readonly metadataOnly?: never;
}

/**
 * An object of which only the metadata was read. It cannot be written back: the fields that it
 * lacks would be removed.
 */
export interface MetadataObject extends KubeObject {
  /** Only for the compiler: functions that write whole objects refuse it. */
  readonly [onlyMetadata]: true;
}

/** The type of objects that may be written as a whole. */
export interface Whole {
  /** Only for the compiler: a `MetadataObject` is refused. */
  readonly [onlyMetadata]?: never;
}

/** The token of a kind of which only the metadata is read: the result of `metadataOf(...)`. */
export interface MetadataToken extends ReadableType<MetadataObject> {
  readonly metadataOnly: true;
}

/** A class to which `@Resource` was applied. */
type ResourceClass<T extends SentObject = KubeObject> = abstract new (...args: never[]) => T;

/** The token of the kind of `T`: `Deployment`, `MyWeb`, or the result of `dynamic(...)`. */
export type Token<T extends SentObject = KubeObject> = ResourceType<T> | ResourceClass<T>;

/** A token to read and watch `T`: a `Token`, or the result of `metadataOf(...)`. */
export type ReadToken<T extends SentObject = KubeObject> = ReadableType<T> | ResourceClass<T>;

/** The key of the `ResourceInfo` that `@Resource` sets on the class. */
export const resourceKey: unique symbol = Symbol.for("tsop.resource");

/**
 * The kind of a token.
 *
 * @throws TsopError `not-a-resource` for a class without `@Resource`
 */
export function resourceOf(token: ReadToken<SentObject>): ResourceInfo {
  if (typeof token !== "function") return token;
  const info = (token as { [resourceKey]?: ResourceInfo })[resourceKey];
  if (info) return info;
  throw new TsopError(
    "not-a-resource",
    `The class ${token.name} is not a kind.`,
    `Put @Resource({ group, version, ... }) on ${token.name}, or pass the class that has it.`,
  );
}

/**
 * The kind with only the metadata of its objects: for caches of large objects of which only names,
 * labels or owners matter. It can be read, patched and deleted, not created, updated or applied:
 * that takes the token itself.
 *
 * @example
 * const secrets = await client.list(metadataOf(Secret), { namespace: "default" });
 *
 * @throws TsopError `not-a-resource`
 */
export function metadataOf(token: ReadToken): MetadataToken {
  return { ...resourceOf(token), metadataOnly: true };
}

/** `v1` or `group/version`. */
export function apiVersionOf(info: Pick<ResourceInfo, "group" | "version">): string {
  return info.group === "" ? info.version : `${info.group}/${info.version}`;
}

/** Splits `v1` or `group/version`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `plural.group`, or `plural` in the core group: the name of a kind in messages and of CRDs. */
export function groupResourceOf(info: Pick<ResourceInfo, "group" | "plural">): string {
  return info.group === "" ? info.plural : `${info.plural}.${info.group}`;
}
