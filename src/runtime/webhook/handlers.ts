/** The webhooks of an operator: what was added, checked when it is, and found again by its path. */
import { TsopError } from "../../errors.ts";
import type { AdmissionHandler, Defaulter, Validator } from "../../kube/webhooks/admission.ts";
import type { KubeObject } from "../../kube/object.ts";
import {
  CONVERSION_PATH,
  type ConversionMark,
  conversionOf,
  type WebhookMark,
  webhooksOf,
} from "../../kube/webhooks/webhook-marks.ts";
import type { AnyConverter } from "./conversion/conversion-registry.ts";

/** A handler of webhooks: an object whose class wears the marker of a webhook, or of several. */
export type WebhookHandler =
  | Defaulter<KubeObject>
  | Validator<KubeObject>
  | AdmissionHandler
  | AnyConverter;

/** The handler of the reviews of one path. */
export type AdmissionRoute = { readonly mark: WebhookMark; readonly path: string } & (
  | { readonly asks: "default"; readonly handler: Defaulter<KubeObject> }
  | { readonly asks: "validate"; readonly handler: Validator<KubeObject> }
  | { readonly asks: "handle"; readonly handler: AdmissionHandler }
);

/** A converter, and the versions between which it converts. */
export interface ConversionRoute {
  readonly mark: ConversionMark;
  readonly converter: AnyConverter;
}

const VALIDATING = ["validateCreate", "validateUpdate", "validateDelete"] as const;
const CONVERTING = ["toHub", "fromHub"] as const;
const METHODS = ["default", ...VALIDATING, "handle", ...CONVERTING] as const;
type Method = (typeof METHODS)[number];

export class WebhookHandlers {
  readonly #routes = new Map<string, AdmissionRoute>();
  readonly #conversions: ConversionRoute[] = [];

  /** Whether nothing was added. */
  get isEmpty(): boolean {
    return this.#routes.size === 0 && this.#conversions.length === 0;
  }

  /** The handlers of admission reviews, by path. */
  get routes(): ReadonlyMap<string, AdmissionRoute> {
    return this.#routes;
  }

  get conversions(): readonly ConversionRoute[] {
    return this.#conversions;
  }

  /**
   * Adds a handler for all markers that its class wears; none of them when one is refused.
   *
   * @throws TsopError `webhook-without-marker`, `webhook-without-method`, `webhook-method-not-asked`,
   *   `webhook-path-taken`, `webhook-without-path`, `conversion-exists`, `conversion-with-two-hubs`
   */
  add(handler: object): void {
    const name = handler.constructor.name;
    const marks = webhooksOf(handler);
    const conversion = conversionOf(handler);
    if (marks.length === 0 && !conversion) {
      throw new TsopError(
        "webhook-without-marker",
        `The class ${name} has no webhook marker, so it is unknown which requests it handles.`,
        `Put @MutatingWebhook(...), @ValidatingWebhook(...) or @ConversionWebhook(...) on ${name}.`,
      );
    }
    const routes = marks.map((mark) => routeOf(handler, mark));
    const paths = new Map(this.#routes);
    for (const route of routes) {
      const other = paths.get(route.path);
      if (other) throw pathTaken(route.path, name, other.handler.constructor.name);
      paths.set(route.path, route);
    }
    if (conversion) this.#checkConversion(name, handler, conversion);
    const converting = conversion ? name : this.#conversions[0]?.converter.constructor.name;
    const atConversion = paths.get(CONVERSION_PATH);
    if (converting !== undefined && atConversion) {
      throw pathTaken(CONVERSION_PATH, converting, atConversion.handler.constructor.name);
    }
    refuseUnasked(handler, routes, conversion !== undefined);
    for (const route of routes) this.#routes.set(route.path, route);
    if (conversion) {
      this.#conversions.push({ mark: conversion, converter: handler as AnyConverter });
    }
  }

  #checkConversion(name: string, handler: object, { hub, spoke }: ConversionMark): void {
    if (!CONVERTING.every((method) => hasMethod(handler, method))) {
      throw withoutMethod(name, "@ConversionWebhook", "the methods toHub and fromHub");
    }
    for (const { mark, converter } of this.#conversions) {
      if (mark.hub.group !== hub.group || mark.hub.kind !== hub.kind) continue;
      const other = converter.constructor.name;
      if (mark.hub.version !== hub.version) {
        throw new TsopError(
          "conversion-with-two-hubs",
          `${name} converts ${hub.kind} from and to ${hub.version}, and ${other} from and to ${mark.hub.version}: a kind has one hub.`,
          "Name the stored version first in each @ConversionWebhook(hub, spoke) of the kind.",
        );
      }
      if (mark.spoke.version === spoke.version) {
        throw new TsopError(
          "conversion-exists",
          `${other} and ${name} both convert ${spoke.kind} between ${hub.version} and ${spoke.version}.`,
          "Add only one of them.",
        );
      }
    }
  }
}

/** @throws TsopError when the class lacks what the marker asks */
function routeOf(handler: object, mark: WebhookMark): AdmissionRoute {
  const name = handler.constructor.name;
  const marker = mark.mutating ? "@MutatingWebhook" : "@ValidatingWebhook";
  const { path } = mark;
  if (path === undefined) {
    throw new TsopError(
      "webhook-without-path",
      `${marker} on ${name} does not specify the path at which it is served.`,
      `Give it { path: "/..." }, or a url.`,
    );
  }
  if (mark.mutating && hasMethod(handler, "default")) {
    return { mark, path, asks: "default", handler: handler as Defaulter<KubeObject> };
  }
  if (!mark.mutating && VALIDATING.some((method) => hasMethod(handler, method))) {
    return { mark, path, asks: "validate", handler: handler };
  }
  if (hasMethod(handler, "handle")) {
    return { mark, path, asks: "handle", handler: handler as AdmissionHandler };
  }
  const wanted = mark.mutating
    ? "a method default or handle"
    : `a method ${VALIDATING.join(", ")} or handle`;
  throw withoutMethod(name, marker, wanted);
}

function hasMethod(handler: object, method: Method): boolean {
  return typeof (handler as Partial<Record<Method, unknown>>)[method] === "function";
}

/** @throws TsopError when the handler has a method of a webhook that none of its markers asks */
function refuseUnasked(
  handler: object,
  routes: readonly AdmissionRoute[],
  converts: boolean,
): void {
  const asked = new Set<Method>(
    routes.flatMap(({ asks }): readonly Method[] => (asks === "validate" ? VALIDATING : [asks])),
  );
  const unasked = METHODS.find(
    (method) =>
      hasMethod(handler, method) &&
      !asked.has(method) &&
      !(converts && (method === "toHub" || method === "fromHub")),
  );
  if (unasked === undefined) return;
  const name = handler.constructor.name;
  const isConverting = unasked === "toHub" || unasked === "fromHub";
  const marker =
    unasked === "default"
      ? "@MutatingWebhook"
      : isConverting
        ? "@ConversionWebhook"
        : "@ValidatingWebhook";
  throw new TsopError(
    "webhook-method-not-asked",
    `${name} has the method ${unasked}, which no marker on the class calls.`,
    unasked === "handle"
      ? `Remove ${unasked}, or the methods that are called instead of it.`
      : `Add ${marker}(...) to ${name}, or remove the method.`,
  );
}

function withoutMethod(name: string, marker: string, wanted: string): TsopError {
  return new TsopError(
    "webhook-without-method",
    `The class ${name} has the marker ${marker}, but no method that handles its requests.`,
    `Give ${name} ${wanted}.`,
  );
}

function pathTaken(path: string, name: string, other: string): TsopError {
  const both = name === other ? `${name} twice` : `${other} and ${name}`;
  return new TsopError(
    "webhook-path-taken",
    `${path} would be answered by ${both}.`,
    "Add only one of them, or give one of the markers another path.",
  );
}
