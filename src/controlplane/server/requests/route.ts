/**
 * What a path of the API means, before anybody looks whether it exists.
 *
 * @module
 */
import { present } from "../../../present.ts";

/** `/api/v1/namespaces/ns/pods/p/log/rest` taken apart. */
export interface ResourcePath {
  /** Empty for `/api/v1`. */
  readonly group: string;
  readonly version: string;
  /** Absent where the path names none. */
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
  /** What follows the subresource. */
  readonly rest?: string;
  /** The old `/watch/` prefix. */
  readonly watchPrefix: boolean;
}

/** A path that is no resource's: health, version, discovery, OpenAPI. */
export interface OtherPath {
  readonly path: string;
}

/** Takes a decoded-later URL path apart. A path that cannot be decoded is nobody's. */
export function parsePath(path: string): ResourcePath | OtherPath {
  const segments = decodeSegments(path);
  if (!segments) return { path };
  const [root, ...rest] = segments;
  const [group, version, parts] =
    root === "api" ? ["", rest[0], rest.slice(1)] : [rest[0], rest[1], rest.slice(2)];
  if ((root !== "api" && root !== "apis") || !group === (root === "apis") || !version) {
    return { path };
  }
  const watchPrefix = parts[0] === "watch";
  if (watchPrefix) parts.shift();
  if (parts.length === 0) return { path };
  const found = resourceOfParts(parts);
  return { group: group ?? "", version, watchPrefix, ...found };
}

function decodeSegments(path: string): string[] | undefined {
  try {
    // As Go does, first decoded, then split: `a%2Fb` are two segments.
    const decoded = path.includes("%") ? decodeURIComponent(path) : path;
    const start = decoded.startsWith("/") ? 1 : 0;
    const end = decoded.length - (decoded.length > start && decoded.endsWith("/") ? 1 : 0);
    return decoded.slice(start, end).split("/");
  } catch {
    return undefined;
  }
}

type Target = Omit<ResourcePath, "group" | "version" | "watchPrefix">;

function resourceOfParts(parts: readonly string[]): Target {
  const [first = "", second, third] = parts;
  // Namespaces have subresources of their own; anything else after the name lives inside the namespace.
  const inside =
    first === "namespaces" &&
    second !== undefined &&
    third !== undefined &&
    third !== "status" &&
    third !== "finalize";
  const [plural = "", name, subresource, ...more] = inside ? parts.slice(2) : parts;
  const namespace = first === "namespaces" && inside ? second : undefined;
  return {
    plural,
    ...present({ namespace, name, subresource }),
    ...(more.length === 0 ? {} : { rest: more.join("/") }),
  };
}
