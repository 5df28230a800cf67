/** The rights of requests of any path: `client.raw({ path: "/apis/metrics.k8s.io/v1beta1/nodes" })`. */
import { tableOf } from "../../table.ts";
import { ts } from "../load.ts";
import { plain } from "./paths.ts";

/** A right that a request needs: a resource, or a path that is none. */
export type RawRight =
  | { readonly group: string; readonly resource: string; readonly verbs: readonly string[] }
  | { readonly url: string; readonly verbs: readonly string[] };

/** The place of a value in a path that is known only when the program runs. */
export const HOLE = "\u0000";

const VERBS = tableOf<readonly [one: string, all: string]>({
  GET: ["get", "list"],
  HEAD: ["get", "list"],
  POST: ["create", "create"],
  PUT: ["update", "update"],
  PATCH: ["patch", "patch"],
  DELETE: ["delete", "deletecollection"],
});

/**
 * The text of a path, with a hole for each part that is not constant.
 *
 * @param textOf - the text of a constant expression
 */
export function pathText(
  expression: ts.Expression,
  textOf: (node: ts.Expression) => string | undefined,
): string {
  const node = plain(expression);
  const known = textOf(node);
  if (known !== undefined) return known;
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (text, span) => text + pathText(span.expression, textOf) + span.literal.text,
      node.head.text,
    );
  }
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  return isSum ? pathText(node.left, textOf) + pathText(node.right, textOf) : HOLE;
}

/** The right that a request needs; `undefined` where the path does not say it. */
export function rawRight(method: string, path: string, isWatch: boolean): RawRight | undefined {
  const verbs = VERBS.get(method);
  if (!verbs || !path.startsWith("/")) return undefined;
  const [root, ...parts] = path.slice(1).replace(/\/$/, "").split("/");
  const isResource = (root === "api" && parts.length > 1) || (root === "apis" && parts.length > 2);
  if (!isResource) {
    return path.includes(HOLE)
      ? undefined
      : { url: path, verbs: [method === "GET" ? "get" : method.toLowerCase()] };
  }
  const group = root === "api" ? "" : (parts.shift() ?? "");
  parts.shift();
  // `/namespaces/a/pods` is about pods, `/namespaces/a` about a namespace.
  const isPlaced =
    parts[0] === "namespaces" && parts.length > 2 && !NAMESPACE_PARTS.has(parts[2] ?? "");
  const [plural = "", name, subresource, ...rest] = isPlaced ? parts.slice(2) : parts;
  if ([group, plural, subresource ?? ""].some((part) => part.includes(HOLE))) return undefined;
  // A hole may be several segments, or end a path before its name.
  const [one, all] = verbs;
  const isOne = name !== undefined;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const isProxy = subresource === "proxy" || rest.length > 0;
  const verb = isWatch ? "watch" : isOne || isProxy ? one : all;
  return { group, resource, verbs: [verb] };
}

/** The subresources of a namespace. */
const NAMESPACE_PARTS = new Set(["status", "finalize"]);
