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

/**
 * Parses an encoded URL path. `undefined` for any that is not a resource's, such as those of health
 * and discovery, and for one that cannot be decoded.
 */
export function parsePath(path: string): ResourcePath | undefined {
  const [root, ...rest] = decodeSegments(path);
  const [group, version, parts] =
    root === "api" ? ["", rest[0], rest.slice(1)] : [rest[0], rest[1], rest.slice(2)];
  if ((root !== "api" && root !== "apis") || !group === (root === "apis") || !version) {
    return undefined;
  }
  const watchPrefix = parts[0] === "watch";
  if (watchPrefix) parts.shift();
  if (parts.length === 0) return undefined;
  return { group: group ?? "", version, watchPrefix, ...resourceOfParts(parts) };
}

function decodeSegments(path: string): string[] {
  try {
    // As in Go, first decoded, then split: `a%2Fb` is two segments.
    const decoded = path.includes("%") ? decodeURIComponent(path) : path;
    const start = decoded.startsWith("/") ? 1 : 0;
    const end = decoded.length - (decoded.length > start && decoded.endsWith("/") ? 1 : 0);
    return decoded.slice(start, end).split("/");
  } catch {
    return [];
  }
}

function resourceOfParts(
  parts: readonly string[],
): Omit<ResourcePath, "group" | "version" | "watchPrefix"> {
  const [first = "", second, third] = parts;
  // Namespaces have subresources of their own; any other segment after the name is a resource in
  // the namespace.
  const inside =
    first === "namespaces" && third !== undefined && third !== "status" && third !== "finalize";
  const [plural = "", name, subresource, ...more] = inside ? parts.slice(2) : parts;
  const namespace = inside ? second : undefined;
  const rest = more.length === 0 ? undefined : more.join("/");
  return { plural, ...present({ namespace, name, subresource, rest }) };
}
