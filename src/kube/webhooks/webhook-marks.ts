/**
 * The marks that the markers of webhooks set on classes, and the names and paths that are derived
 * from a kind: the generator writes them into the manifests, and the runtime serves them.
 */
import type { SentObject } from "../object.ts";
import type { ResourceInfo } from "../resource.ts";

/** A webhook that a class implements. */
export interface WebhookMark {
  readonly mutating: boolean;
  /**
   * The path at which it is called: `/mutate-shop-example-com-v1-widget`, or the path of a URL;
   * absent where the marker has neither.
   */
  readonly path: string | undefined;
  /** The name of its configuration, without a prefix of kustomize. */
  readonly configuration: string;
  /** The kind, unless the rule is written out. */
  readonly resource: ResourceInfo | undefined;
}

/** The two versions of a kind that a class converts. */
export interface ConversionMark {
  readonly hub: ResourceInfo;
  readonly spoke: ResourceInfo;
  /** Loads the checks of objects, which only operators with converters need: others do not bundle them. */
  readonly loadCheck: LoadContentCheck;
}

/** Loads what makes a check of the API server's objections to objects, by an OpenAPI schema. */
export type LoadContentCheck = () => Promise<
  (schema: object) => { mistakes(object: SentObject): readonly string[] }
>;

const webhookKey = Symbol.for("tsop.webhooks");
const conversionKey = Symbol.for("tsop.conversion");

interface Marked {
  [webhookKey]?: WebhookMark[];
  [conversionKey]?: ConversionMark;
}

/** The configuration of all webhooks of one type, unless a marker names another. */
export const configurationOf = (mutating: boolean): string =>
  mutating ? "mutating-webhook-configuration" : "validating-webhook-configuration";

/**
 * The path of a webhook of a kind, as kubebuilder names it: `/validate--v1-pod` in the core group.
 */
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

/** The path of conversions: the operator adds an unguessable part. */
export const CONVERSION_PATH = "/convert";

/** Whether API servers request conversions there. A CRD without a path means `/`. */
export const isConversionPath = (path: string): boolean =>
  path === "/" || path === CONVERSION_PATH || path.startsWith(`${CONVERSION_PATH}/`);

/** The operator's namespace in manifests, before kustomize renames it. */
export const OPERATOR_NAMESPACE = "system";

/** Records a webhook on its class. */
export function markWebhook(target: object, mark: WebhookMark): void {
  const marked = target as Marked;
  // A class that extends another has webhooks of its own.
  if (!Object.hasOwn(marked, webhookKey)) Object.defineProperty(marked, webhookKey, { value: [] });
  marked[webhookKey]?.push(mark);
}

/** The webhooks of the class of `handler`, those of the topmost marker last. */
export const webhooksOf = (handler: object): readonly WebhookMark[] =>
  (handler.constructor as Marked)[webhookKey] ?? [];

/** Records a conversion on its class. */
export function markConversion(target: object, mark: ConversionMark): void {
  Object.defineProperty(target, conversionKey, { value: mark });
}

/** The conversion of the class of `converter`. */
export const conversionOf = (converter: object): ConversionMark | undefined =>
  (converter.constructor as Marked)[conversionKey];
