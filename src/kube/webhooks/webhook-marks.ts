/**
 * What the markers of webhooks leave on the classes that wear them, and what is derived from a kind: the generator writes
 * it into the manifests, and the runtime serves it.
 *
 * @module
 */
import type { ResourceInfo } from "../resource.ts";

/** A webhook that a class answers. */
export interface WebhookMark {
  readonly mutating: boolean;
  /** Where it is asked: `/mutate-shop-example-com-v1-widget`, or the path of a URL; absent where the marker says neither. */
  readonly path: string | undefined;
  /** The name of the object that configures it, without a prefix of kustomize. */
  readonly configuration: string;
  /** The kind, unless the rule was written out. */
  readonly resource: ResourceInfo | undefined;
}

/** The two versions of a kind that a class converts. */
export interface ConversionMark {
  readonly hub: ResourceInfo;
  readonly spoke: ResourceInfo;
}

const webhookKey = Symbol.for("tsop.webhooks");
const conversionKey = Symbol.for("tsop.conversion");

interface Marked {
  [webhookKey]?: WebhookMark[];
  [conversionKey]?: ConversionMark;
}

/** The configuration object of all webhooks of one sort, unless a marker names another. */
export const configurationOf = (mutating: boolean): string =>
  mutating ? "mutating-webhook-configuration" : "validating-webhook-configuration";

/** Where a webhook of a kind is asked, as kubebuilder names it: `/validate--v1-pod` in the core group. */
export function webhookPathOf(
  mutating: boolean,
  { group, version, kind }: Pick<ResourceInfo, "group" | "version" | "kind">,
): string {
  const parts = [group.replaceAll(".", "-"), version, kind.toLowerCase()];
  return `/${mutating ? "mutate" : "validate"}-${parts.join("-")}`;
}

/** The name of a webhook of a kind, as kubebuilder names it: `mwidget-v1.kb.io`. */
export function webhookNameOf(
  mutating: boolean,
  { version, kind }: Pick<ResourceInfo, "version" | "kind">,
): string {
  return `${mutating ? "m" : "v"}${kind.toLowerCase()}-${version}.kb.io`;
}

/** Where the API server asks for conversions. */
export const CONVERSION_PATH = "/convert";

/** The operator's namespace, as manifests name it before kustomize does. */
export const OPERATOR_NAMESPACE = "system";

/** Notes a webhook on its class. */
export function markWebhook(target: object, mark: WebhookMark): void {
  const marked = target as Marked;
  // A class that extends another has webhooks of its own.
  if (!Object.hasOwn(marked, webhookKey)) Object.defineProperty(marked, webhookKey, { value: [] });
  marked[webhookKey]?.push(mark);
}

/** The webhooks of the class of `handler`, those of the topmost marker last. */
export const webhooksOf = (handler: object): readonly WebhookMark[] =>
  (handler.constructor as Marked)[webhookKey] ?? [];

/** Notes on a class what it converts. */
export function markConversion(target: object, mark: ConversionMark): void {
  Object.defineProperty(target, conversionKey, { value: mark });
}

/** What the class of `converter` converts. */
export const conversionOf = (converter: object): ConversionMark | undefined =>
  (converter.constructor as Marked)[conversionKey];
