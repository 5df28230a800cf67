/**
 * Whether an option that is copied into a manifest has the fields and types that the API server reads there: what has
 * another type it refuses before any rule is asked, and a field that it does not know it drops.
 */
import { didYouMean } from "../../kube/text/nearest-name.ts";

/** The shape that a value has to have. */
export type Shape =
  | "string"
  | "int32"
  | "base64"
  | "map of strings"
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** A value at `path` that does not have its shape. */
export interface ShapeProblem {
  readonly message: string;
  readonly fix: string;
}

const SERVICE: Shape = {
  fields: { name: "string", namespace: "string", path: "string", port: "int32" },
};
const STRINGS: Shape = { list: "string" };

/** The shape of `spec.conversion` of a CRD. */
export const CONVERSION: Shape = {
  fields: {
    strategy: "string",
    webhook: {
      fields: {
        clientConfig: { fields: { url: "string", service: SERVICE, caBundle: "base64" } },
        conversionReviewVersions: STRINGS,
      },
    },
  },
};

const SELECTOR: Shape = {
  fields: {
    matchLabels: "map of strings",
    matchExpressions: { list: { fields: { key: "string", operator: "string", values: STRINGS } } },
  },
};

/** The options of webhooks that are objects. */
export const WEBHOOK_OPTIONS: Readonly<Record<string, Shape>> = {
  namespaceSelector: SELECTOR,
  objectSelector: SELECTOR,
  matchConditions: { list: { fields: { name: "string", expression: "string" } } },
};

/** The Service of a webhook. */
export const WEBHOOK_SERVICE = SERVICE;

const INT32_MAX = 2 ** 31 - 1;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** All values at or below `path` that do not have their shape. */
export function shapeProblems(value: unknown, shape: Shape, path: string): ShapeProblem[] {
  if (value === undefined) return [];
  const wrong = (wanted: string): ShapeProblem[] => [
    { message: `${path} is ${wanted}, got ${JSON.stringify(value)}.`, fix: `Give it ${wanted}.` },
  ];
  switch (shape) {
    case "string":
      return typeof value === "string" ? [] : wrong("a string");
    case "int32":
      return Number.isInteger(value) && Math.abs(Number(value)) <= INT32_MAX
        ? []
        : wrong("a whole number of 32 bits");
    case "base64":
      return typeof value === "string" && isBase64(value) ? [] : wrong("PEM in base64");
    case "map of strings":
      return isObject(value) && Object.values(value).every((one) => typeof one === "string")
        ? []
        : wrong("an object of strings");
  }
  if ("list" in shape) {
    return Array.isArray(value)
      ? value.flatMap((item, index) => shapeProblems(item, shape.list, `${path}[${index}]`))
      : wrong("a list");
  }
  if (!isObject(value)) return wrong("an object");
  const known = Object.keys(shape.fields);
  return Object.entries(value).flatMap(([name, part]) => {
    const inner = shape.fields[name];
    if (inner) return shapeProblems(part, inner, `${path}.${name}`);
    return [
      {
        message: `${path} has no field ${name}, so the API server drops it.`,
        fix: didYouMean(name, known, `It takes ${known.join(", ")}.`),
      },
    ];
  });
}

const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(
    text.replace(/[\r\n]/g, ""),
  );
