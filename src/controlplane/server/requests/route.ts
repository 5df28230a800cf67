/** Parses paths of the API, without checking whether their target exists. */
import { present } from "../../../present.ts";

/** The parts of `/api/v1/namespaces/ns/pods/p/log/rest`. */
export interface ResourcePath {
  /** Empty for `/api/v1`. */
  readonly group: string;
  readonly version: string;
  /** Absent where the path has none. */
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
  /** The path after the subresource. */
  readonly rest?: string;
  /** Whether the path has the old `/watch/` prefix. */
  readonly watchPrefix: boolean;
}

/** A path that is not a resource's: health, version, discovery, OpenAPI. */
export interface OtherPath {
  readonly path: string;
}

/** Parses an encoded URL path. A path that cannot be decoded has no target. */
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
    // As in Go, first decoded, then split: `a%2Fb` is two segments.
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
  // Namespaces have subresources of their own; any other segment after the name is a resource in
  // the namespace.
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
