/**
 * The admission plugin LimitRanger: sets the resources that containers leave out, and refuses
 * amounts outside of the limits.
 *
 * @see https://kubernetes.io/docs/concepts/policy/limit-range/
 */
import { CLAIMS, LIMIT_RANGES, PODS } from "../../tokens.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { type Quantity, compareAmounts, parseQuantity } from "../../../../kube/values/quantity.ts";
import { type WriteContext } from "../../../kinds.ts";
import { asKind, type ResourceName } from "../../../resource-name.ts";
import { aggregateLimits, aggregateRequests } from "../../shared/pods/resources.ts";
import type { Pod } from "./pod/shape.ts";
import type { Container } from "../../shared/pods/pod-shapes.ts";
import type { Limit } from "./limit-range.ts";
import type { ResourceList } from "../../shared/shapes.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

function limitsIn(context: WriteContext, namespace: string): Limit[] {
  return context.list(LIMIT_RANGES, namespace).flatMap(({ spec }) => spec?.limits ?? []);
}

/** Sets the default requests and limits of the namespace on containers without them. */
export function setLimitRangeRequirements({ spec, metadata }: Pod, context: WriteContext): void {
  const limits: ResourceList = {};
  const requests: ResourceList = {};
  for (const limit of limitsIn(context, metadata.namespace ?? "")) {
    if (limit.type !== "Container") continue;
    Object.assign(limits, limit.default);
    Object.assign(requests, limit.defaultRequest);
  }
  const told = [
    ...(spec.containers ?? []).flatMap((one) => fillIn(one, "container", requests, limits)),
    ...(spec.initContainers ?? []).flatMap((one) =>
      fillIn(one, "init container", requests, limits),
    ),
  ];
  if (told.length === 0) return;
  (metadata.annotations ??= {})[ANNOTATION] = `LimitRanger plugin set: ${told.join("; ")}`;
}

function fillIn(
  container: Container,
  what: string,
  requests: ResourceList,
  limits: ResourceList,
): string[] {
  const resources = (container.resources ??= {});
  const told: string[] = [];
  for (const [part, amounts] of [
    ["requests", requests],
    ["limits", limits],
  ] as const) {
    const own = { ...resources[part] };
    const missing = Object.keys(amounts).filter((name) => own[name] === undefined);
    if (missing.length === 0) continue;
    resources[part] = { ...amounts, ...own };
    const noun = part === "requests" ? "request" : "limit";
    told.push(`${missing.toSorted().join(", ")} ${noun} for ${what} ${container.name}`);
  }
  return told;
}

/** The reasons for which the LimitRanges of its namespace refuse a pod or a claim; nothing else is limited. */
export function limitRangeRefusals(
  resource: ResourceName,
  object: SentObject,
  context: WriteContext,
): string[] {
  const claim = asKind(CLAIMS, resource, object);
  const pod = asKind(PODS, resource, object);
  if (!claim && !pod) return [];
  return limitsIn(context, object.metadata.namespace ?? "").flatMap((limit) => {
    if (claim) {
      return limit.type === claim.kind ? refusals(limit, claim.spec.resources?.requests ?? {}) : [];
    }
    if (!pod) return [];
    const { spec } = pod;
    if (limit.type === "Container") {
      return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(
        ({ resources = {} }) => refusals(limit, resources.requests ?? {}, resources.limits ?? {}),
      );
    }
    if (limit.type !== "Pod") return [];
    return refusals(
      limit,
      { ...aggregateRequests(spec), ...spec.resources?.requests },
      { ...aggregateLimits(spec), ...spec.resources?.limits },
    );
  });
}

/** What is wrong with requests and, unless it is a claim, with limits. */
function refusals(
  { type, min = {}, max = {}, maxLimitRequestRatio = {} }: Limit,
  requests: ResourceList,
  limits?: ResourceList,
): string[] {
  const request = (name: string): Amount => ["request", requests[name]];
  const limit = (name: string): Amount[] => (limits ? [["limit", limits[name]]] : []);
  return [
    ...Object.entries(min).flatMap(([name, least]) => {
      const head = `minimum ${name} usage per ${type} is ${least}`;
      return outside(
        head,
        [request(name), ...limit(name)],
        (amount) => compareAmounts(least, amount) > 0,
      );
    }),
    ...Object.entries(max).flatMap(([name, most]) => {
      const head = `maximum ${name} usage per ${type} is ${most}`;
      return outside(
        head,
        [...limit(name), request(name)],
        (amount) => compareAmounts(amount, most) > 0,
      );
    }),
    ...Object.entries(limits ? maxLimitRequestRatio : {}).flatMap(([name, ratio]) => {
      const head = `${name} max limit to request ratio per ${type} is ${ratio}`;
      return tooFarApart(head, ratio, requests[name], limits?.[name]);
    }),
  ];
}

type Amount = readonly [noun: string, amount: string | undefined];

/** The first amount that is outside of a bound, or that the first is missing. */
function outside(
  head: string,
  amounts: readonly Amount[],
  isOutside: (amount: string) => boolean,
): string[] {
  const [[first, amount] = []] = amounts;
  if (amount === undefined) return [`${head}.  No ${first ?? ""} is specified`];
  const found = amounts.find(([, one]) => one !== undefined && isOutside(one));
  return found ? [`${head}, but ${found[0]} is ${found[1] ?? ""}`] : [];
}

function tooFarApart(
  head: string,
  ratio: string,
  request: string | undefined,
  limit: string | undefined,
): string[] {
  const valueOf = ({ nanos }: Quantity): number => Number(nanos);
  const requested = valueOf(parseQuantity(request ?? "0"));
  const limited = valueOf(parseQuantity(limit ?? "0"));
  if (requested === 0) return [`${head}, but no request is specified or request is 0`];
  if (limited === 0) return [`${head}, but no limit is specified or limit is 0`];
  const found = limited / requested;
  return found > valueOf(parseQuantity(ratio)) / 1e9
    ? [`${head}, but provided ratio is ${found.toFixed(6)}`]
    : [];
}
