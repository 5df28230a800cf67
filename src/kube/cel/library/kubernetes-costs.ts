/**
 * The costs of calls of Kubernetes' libraries, and of some string functions.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/cel/library#CostEstimator
 */
import {
  type CostEstimate,
  exactly,
  product,
  REGEX_LENGTH_FACTOR,
  scaled,
  type SizeEstimate,
  STRING_TRAVERSAL_FACTOR,
  sumOf,
  UNKNOWN_MAX,
} from "../cost/estimates.ts";
import type { CallEstimate, CostNode, EstimatedCall, LibraryCosts } from "../cost/library-costs.ts";
import { librarySize } from "../cost/runtime-cost.ts";
import { sameType } from "../types.ts";
import { CelError, CelList, CelMap, type CelValue, sizeOf, type Result } from "../values.ts";
import { NamedFormat } from "./formats.ts";
import { isKubernetesValue } from "./kubernetes-value.ts";

const CHECK_COST = 350_000;
const MAX_FORMAT_PATTERN = 128;
const MAX_FORMAT_NAME = 64;
const ONE = exactly(1);
const IP_SIZE: SizeEstimate = { min: 4, max: 16 };

const traversal = (size: SizeEstimate, times = 1): CostEstimate =>
  scaled(size, times * STRING_TRAVERSAL_FACTOR);

const OF_ONE: readonly string[] = [
  ...["serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"],
  ...["allowed", "reason", "error", "errored"],
  ...["masked", "prefixLength", "family", "isUnspecified", "isLoopback"],
  ...["isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named"],
  ...["sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan"],
  ...["compareTo", "add", "sub", "major", "minor", "patch"],
  ...["getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"],
];

type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

const ofArgument =
  (times = 1): Estimate =>
  ({ args: [first] }) =>
    first && { cost: traversal(first.size(), times) };

/** The cost of functions that read all of a text and return one that is no longer. */
const copying =
  (pick: (call: EstimatedCall) => CostNode | undefined): Estimate =>
  (call) => {
    const size = pick(call)?.size();
    return size && { cost: traversal(size), resultSize: size };
  };

function overItems({ target }: EstimatedCall): CallEstimate | undefined {
  if (!target) return undefined;
  const items = target.items();
  if (!items) return { cost: traversal(target.size()) };
  const isText = items.type.kind === "string" || items.type.kind === "bytes";
  const each = isText ? sumOf(ONE, traversal(items.size())) : ONE;
  return { cost: product(target.size(), each) };
}

function replacing({ target, args: [from, to] }: EstimatedCall): CallEstimate | undefined {
  if (!target || !from || !to) return undefined;
  const size = target.size();
  const old = from.size();
  const fresh = to.size();
  const count = { min: 0, max: 0 };
  const kept = { min: 0, max: 0 };
  if (old.min === 0) {
    count.max = Math.min(size.max + 1, UNKNOWN_MAX);
    kept.max = size.max;
  } else if (fresh.max <= old.min) kept.max = size.max;
  else count.max = Math.ceil(size.max / old.min);
  if (old.max === 0) {
    count.min = Math.min(size.min + 1, UNKNOWN_MAX);
    kept.min = size.min;
  } else if (old.max <= fresh.min) kept.min = size.min;
  else count.min = Math.ceil(size.min / old.max);
  return { cost: traversal(size, 2), resultSize: sumOf(product(count, fresh), kept) };
}

function splitting({ target, args: [, limit] }: EstimatedCall): CallEstimate | undefined {
  if (!target) return undefined;
  const size = target.size();
  const value = limit?.expr?.kind === "literal" ? limit.expr.value : undefined;
  const max = typeof value === "bigint" ? Number(BigInt.asUintN(64, value)) : size.max;
  return { cost: traversal(size, 2), resultSize: { min: 0, max } };
}

function joining({ target, args: [separator] }: EstimatedCall): CallEstimate | undefined {
  if (!target) return undefined;
  const list = target.size();
  const items = target.items();
  let size = items ? product(list, items.size()) : exactly(0);
  if (separator) {
    const gaps = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
    size = sumOf(size, product(separator.size(), gaps));
  }
  return { cost: traversal(size), resultSize: size };
}

function finding({ target, args: [pattern] }: EstimatedCall): CallEstimate | undefined {
  if (!target || !pattern) return undefined;
  const size = target.size();
  const cost = product(traversal(sumOf(size, ONE)), scaled(pattern.size(), REGEX_LENGTH_FACTOR));
  return { cost, resultSize: { min: 0, max: size.max } };
}

function containing({ name, overload, args: [other] }: EstimatedCall): CallEstimate | undefined {
  if (!other) return undefined;
  let cost = traversal(sumOf(IP_SIZE, IP_SIZE));
  if (name === "containsCIDR") cost = sumOf(cost, traversal(IP_SIZE), ONE);
  if (overload.id.endsWith("_string")) cost = sumOf(cost, traversal(other.size()));
  return { cost };
}

function equality({ args: [left, right] }: EstimatedCall): CallEstimate | undefined {
  if (!left || !right || !sameType(left.type, right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return { cost: ONE };
    case "kubernetes.NamedFormat":
      return { cost: traversal({ min: 1, max: MAX_FORMAT_NAME }) };
    case "kubernetes.URL":
      return { cost: traversal({ min: 1, max: right.computedSize()?.max ?? 1 }) };
    default:
      return undefined;
  }
}

const selector: Estimate = ({ args: [text] }) => {
  if (!text) return undefined;
  const requirements = scaled(scaled(text.size(), 0.5), 50);
  return { cost: sumOf(exactly(10), traversal(text.size()), requirements) };
};

const ESTIMATES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ...OF_ONE.map((name): [string, Estimate] => [name, () => ({ cost: ONE })]),
  ["check", () => ({ cost: exactly(CHECK_COST) })],
  ["fieldSelector", selector],
  ["labelSelector", selector],
  ...["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"].map((name): [string, Estimate] => [
    name,
    overItems,
  ]),
  ["url", copying(({ args: [first] }) => first)],
  ["jsonpatch.escapeKey", copying(({ args: [first] }) => first)],
  ...["lowerAscii", "upperAscii", "substring", "trim"].map((name): [string, Estimate] => [
    name,
    copying(({ target }) => target),
  ]),
  ["replace", replacing],
  ["split", splitting],
  ["join", joining],
  ["find", finding],
  ["findAll", finding],
  ...["cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"].map(
    (name): [string, Estimate] => [name, ofArgument()],
  ),
  ["ip", (call) => (call.overload.id === "cidr_ip" ? { cost: ONE } : ofArgument()(call))],
  ["ip.isCanonical", ofArgument(2)],
  ["containsIP", containing],
  ["containsCIDR", containing],
  [
    "validate",
    ({ args: [text] }) =>
      text && {
        cost: scaled(traversal(text.size()), MAX_FORMAT_PATTERN * REGEX_LENGTH_FACTOR),
      },
  ],
  ["_==_", equality],
]);

const size = (value: CelValue | undefined): number =>
  value === undefined ? 1 : (sizeOf(value) ?? librarySize(value) ?? 1);

const read = (value: CelValue | undefined, times = 1): number =>
  Math.ceil(size(value) * times * STRING_TRAVERSAL_FACTOR);

/** The cost of visiting every part of a value. */
function traversed(value: Result | undefined): number {
  if (typeof value === "string") {
    return Math.trunc(Buffer.byteLength(value) * STRING_TRAVERSAL_FACTOR);
  }
  if (value instanceof Uint8Array) return Math.trunc(value.length * STRING_TRAVERSAL_FACTOR);
  let cost = 0;
  if (value instanceof CelList) {
    for (const item of value) cost += traversed(item);
    return cost;
  }
  if (!(value instanceof CelMap)) return 1;
  for (const key of value.keys()) cost += traversed(key) + traversed(value.find(key));
  return cost;
}

const matching = (text: CelValue | undefined, pattern: number): number =>
  Math.ceil((1 + size(text)) * STRING_TRAVERSAL_FACTOR) * Math.ceil(pattern * REGEX_LENGTH_FACTOR);

function actual(
  name: string,
  overloadId: string,
  args: readonly CelValue[],
  result: Result,
): number | undefined {
  const [first, second] = args;
  switch (name) {
    case "check":
      return CHECK_COST;
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return traversed(first);
    case "url":
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "jsonpatch.escapeKey":
    case "cidr":
    case "isIP":
    case "isCIDR":
    case "quantity":
    case "isQuantity":
    case "semver":
    case "isSemver":
      return read(first);
    case "ip":
      return overloadId === "cidr_ip" ? 1 : read(first);
    case "replace":
    case "split":
    case "ip.isCanonical":
      return read(first, 2);
    case "join":
      return result instanceof CelError ? Math.ceil(2 * STRING_TRAVERSAL_FACTOR) : read(result, 2);
    case "find":
    case "findAll":
      return matching(first, size(second));
    case "fieldSelector":
    case "labelSelector": {
      const length = size(second);
      return 10 + Math.ceil(length * STRING_TRAVERSAL_FACTOR) + Math.ceil(length * 0.5) * 50;
    }
    case "containsIP":
      return read(first, 2) + (overloadId.endsWith("_string") ? read(second) : 0);
    case "containsCIDR":
      return read(first, 2) + read(first) + 1 + (overloadId.endsWith("_string") ? read(second) : 0);
    case "validate":
      return first instanceof NamedFormat ? matching(second, first.patternSize) : undefined;
    case "_==_":
      return first !== undefined && isKubernetesValue(first) ? 1 : undefined;
    default:
      return OF_ONE.includes(name) ? 1 : undefined;
  }
}

export const kubernetesCosts: LibraryCosts = {
  estimate: (call) => ESTIMATES.get(call.name)?.(call),
  actual,
};
