/**
 * The markers of admission webhooks: what the API server asks them, and how.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { AdmissionHandler, Defaulter, Validator } from "../kube/webhooks/admission.ts";
import type { Converter } from "../kube/webhooks/conversion.ts";
import type { KubeObject } from "../kube/object.ts";
import { resourceOf, type Token } from "../kube/resource.ts";
import type { LabelSelector } from "../kube/selectors/selector.ts";
import {
  configurationOf,
  type LoadContentCheck,
  markConversion,
  markWebhook,
  webhookPathOf,
} from "../kube/webhooks/webhook-marks.ts";
import type { ClassMarker } from "./marker.ts";

/** The operations on an object for which a webhook is asked; `*` is all of them. */
export type WebhookOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT" | "*";

/** The options of a webhook: when and how the API server asks it. */
export interface WebhookOptions {
  /** A DNS name of three parts or more; `mwidget-v1.kb.io` when it is left out. */
  readonly name?: string;
  /** The path at which the operator answers; `/mutate-GROUP-VERSION-KIND` when it is left out. */
  readonly path?: string;
  /** The whole address (`https://...`), for what does not run in the cluster. In place of `path`. */
  readonly url?: string;
  /** The Service before the operator; `webhook-service` in `system`, which kustomize renames. */
  readonly service?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly port?: number;
  };
  /**
   * The operations for which it is asked. Those of a validator follow from its methods;
   * `["CREATE", "UPDATE"]` otherwise, when it is left out. Operations that no method answers, and
   * methods that are never asked, are errors.
   */
  readonly operations?: readonly WebhookOperation[];
  /** Whether a webhook that cannot be asked refuses (`Fail`, when it is left out) or allows. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** `Exact`: only requests in the versions that were named; `Equivalent`: those of others, converted. */
  readonly matchPolicy?: "Exact" | "Equivalent";
  /** The side effects; `None` when it is left out. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** The timeout, 1 to 30. */
  readonly timeoutSeconds?: number;
  /** The review versions; `["v1"]` when it is left out. */
  readonly admissionReviewVersions?: readonly ("v1" | "v1beta1")[];
  /** A selector of namespaces: only objects in these are asked about. */
  readonly namespaceSelector?: LabelSelector;
  /** A selector of objects: only those with such labels are asked about. */
  readonly objectSelector?: LabelSelector;
  /** Rules in CEL: only requests for which all of them hold are asked about. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** The scope: only objects in namespaces, or only those outside of them. */
  readonly scope?: "Namespaced" | "Cluster" | "*";
  /** The name of the configuration object; all webhooks of one sort share one. */
  readonly configuration?: string;
}

/** The options that a mutating webhook has beside those. */
export interface MutatingWebhookOptions extends WebhookOptions {
  /** `IfNeeded`: it is asked again when a later webhook changed the object. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

/** The objects of a webhook, written out in place of a token. */
export interface WebhookTarget {
  /** The API groups; `[""]` is the core group. */
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** The plurals, with `/status` and the like where a subresource is meant. */
  readonly resources: readonly string[];
  readonly name: string;
}

/**
 * The same methods as functions, whose parameters TypeScript compares strictly: a handler may not demand more of an object
 * than the API server has filled in.
 */
type Strict<Methods> = {
  [K in keyof Methods]: NonNullable<Methods[K]> extends (...sent: infer Sent) => infer Said
    ? (...sent: Sent) => Said
    : never;
};

/** The classes that may carry the marker of a mutating webhook. */
type Mutating<T extends KubeObject> = Strict<Defaulter<T>> | Strict<AdmissionHandler<T>>;

/** The classes that may carry the marker of a validating webhook. */
type Validating<T extends KubeObject> = Strict<Validator<T>> | Strict<AdmissionHandler<T>>;

/**
 * The class changes objects before they are stored: `@MutatingWebhook(Widget)` on a `Defaulter<Widget>`, or written out as
 * `@MutatingWebhook({ groups: ["apps"], versions: ["v1"], resources: ["deployments"], name: "d.kb.io", path: "/d" })`.
 * `tsop manifests` writes the configuration of all of them, and `manager.webhooks.add` answers them.
 *
 * @example `@MutatingWebhook(Web) class WebDefaulter implements Defaulter<Web> { default(): void {} }`
 */
export function MutatingWebhook<T extends KubeObject>(
  token: Token<T>,
  options?: MutatingWebhookOptions,
): ClassMarker<Mutating<T>>;
export function MutatingWebhook(
  target: WebhookTarget & MutatingWebhookOptions,
): ClassMarker<Mutating<KubeObject>>;
export function MutatingWebhook(
  target: Token | (WebhookTarget & WebhookOptions),
  options: WebhookOptions = {},
): ClassMarker<Mutating<KubeObject>> {
  return marker(true, target, options);
}

/**
 * The class allows objects or refuses them: `@ValidatingWebhook(Widget)` on a `Validator<Widget>`, whose methods say
 * which operations are asked about.
 *
 * @example `@ValidatingWebhook(Web) class OneValidator implements Validator<Web> { validateCreate(): void {} }`
 */
export function ValidatingWebhook<T extends KubeObject>(
  token: Token<T>,
  options?: WebhookOptions,
): ClassMarker<Validating<T>>;
export function ValidatingWebhook(
  target: WebhookTarget & WebhookOptions,
): ClassMarker<Validating<KubeObject>>;
export function ValidatingWebhook(
  target: Token | (WebhookTarget & WebhookOptions),
  options: WebhookOptions = {},
): ClassMarker<Validating<KubeObject>> {
  return marker(false, target, options);
}

/**
 * The class converts objects between two versions of a kind: `@ConversionWebhook(Widget, WidgetV1alpha1)` on a
 * `Converter<Widget, WidgetV1alpha1>`. The hub is the version that is stored; every other version needs a converter.
 * `tsop manifests` writes the CRD's `spec.conversion`, and `manager.webhooks.add` answers it.
 *
 * @example `@ConversionWebhook(Web, WebV1alpha1) class WebConverter implements Converter<Web, WebV1alpha1> { ... }`
 */
export function ConversionWebhook<Hub extends KubeObject, Spoke extends KubeObject>(
  hub: Token<Hub>,
  spoke: Token<Spoke>,
): ClassMarker<Strict<Converter<Hub, Spoke>>> {
  return (target) => {
    markConversion(target, { hub: resourceOf(hub), spoke: resourceOf(spoke), loadCheck });
  };
}

function marker(
  mutating: boolean,
  target: Token | (WebhookTarget & WebhookOptions),
  options: WebhookOptions,
): ClassMarker<object> {
  return (marked) => {
    const written = isWrittenOut(target);
    const { path, url, configuration = configurationOf(mutating) } = written ? target : options;
    const resource = written ? undefined : resourceOf(target);
    const derived = path ?? (resource && webhookPathOf(mutating, resource));
    const asked = url === undefined ? derived : pathOf(url);
    markWebhook(marked, { mutating, path: asked, configuration, resource });
  };
}

const pathOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).pathname : undefined;

const isWrittenOut = (
  target: Token | (WebhookTarget & WebhookOptions),
): target is WebhookTarget & WebhookOptions =>
  typeof target !== "function" && "resources" in target;

async function loadCheck(): ReturnType<LoadContentCheck> {
  const { ContentCheck } = await import("../kube/rules/content-check.ts");
  return (schema) => new ContentCheck(schema);
}
