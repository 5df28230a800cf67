/**
 * The validation of new and of changed objects. The metadata of a changed object is checked once as
 * any object's, once as any change's, and then as its kind asks for. Repeated errors are reported
 * repeatedly, and clients see it.
 */
import { type FieldError, invalid } from "../../../kube/field-errors.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../kube/metadata.ts";
import { pathSegmentErrors } from "../../../kube/names.ts";
import type { SentObject } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import type { MetadataCheck, ServedResource, Strategy, WriteContext } from "../../kinds.ts";
import { type Endpoint, type Write, checkContext } from "../cluster/cluster.ts";

const CHANGE: readonly MetadataCheck[] = ["change"];

/** Prepares and validates a new object. @throws StatusError 422 */
export function validateNew(write: Write, object: SentObject): void {
  const { resource } = write.endpoint;
  const { strategy, builtIn, group, kind } = resource;
  const { context, tellWarnings } = checkContext(write);
  strategy.prepareForCreate(object, context);
  const { metadata } = object;
  if (!builtIn && object.kind !== kind) {
    const errors = strategy.validateCreate(object, context);
    throw invalid({ group, kind: object.kind }, metadata.name ?? "", errors);
  }
  const nameRule: Strategy["validateName"] = (given, prefix) => {
    const wrong = strategy.validateName(given, prefix);
    // Names that a kind does not check must at least fit into a path.
    return wrong.length > 0 ? wrong : pathSegmentErrors(given, prefix);
  };
  const strictFinalizers = hasStrictFinalizers(resource);
  const metadataErrors = validateObjectMeta(metadata, resource.namespaced, nameRule, {
    strictFinalizers,
  });
  const errors = strategy.validateCreate(object, { ...context, metadataErrors });
  refuse(strategy, errors, { group, kind }, metadata.name);
  tellWarnings();
}

/** Prepares and validates a changed object. @throws StatusError 422 */
export function validateChange(write: Write, live: SentObject, object: SentObject): void {
  const { endpoint } = write;
  const { resource, strategy } = endpoint;
  const { context, tellWarnings } = checkContext(write);
  strategy.prepareForUpdate(object, live, context);
  const errors = changeErrors(endpoint, object, live, context);
  // A patch may have changed apiVersion or kind.
  const { group } = resource.builtIn ? resource : parseApiVersion(object.apiVersion);
  refuse(strategy, errors, { group, kind: object.kind }, object.metadata.name);
  tellWarnings();
}

/** @throws StatusError 422 when there are errors */
function refuse(
  strategy: Strategy,
  errors: readonly FieldError[],
  { group, kind }: { readonly group: string; readonly kind: string },
  name = "",
): void {
  if (errors.length === 0) return;
  const reported = strategy.report?.(errors) ?? errors;
  // Inside of the server, both groups have the Event of the core group.
  throw invalid({ group: group === "events.k8s.io" ? "" : group, kind }, name, reported);
}

/** Whether finalizers without a domain must be those that Kubernetes knows. */
function hasStrictFinalizers({ builtIn, traits }: ServedResource): boolean {
  return builtIn && !traits?.freeFinalizers;
}

/** All errors of a change; kinds that check the metadata twice may have theirs in between. */
function changeErrors(
  { resource, strategy, subresource }: Endpoint,
  object: SentObject,
  live: SentObject,
  context: WriteContext,
): FieldError[] {
  const whole = (nameRule: Strategy["validateName"], strictFinalizers: boolean): FieldError[] =>
    validateObjectMeta(object.metadata, resource.namespaced, nameRule, { strictFinalizers });
  const change = (strictFinalizers: boolean): FieldError[] =>
    validateObjectMetaUpdate(object.metadata, live.metadata, { strictFinalizers });
  const { metadataChecks, subresourceMetadataChecks } = resource.traits ?? {};
  const own = subresource === "" ? metadataChecks : subresourceMetadataChecks;
  const isStrict = hasStrictFinalizers(resource);
  const loose = change(false);
  const [earlier = [], later = []] = (own ?? CHANGE).map((check) => {
    if (check === "change") return isStrict ? change(true) : loose;
    return whole((name, prefix) => strategy.validateName(name, prefix), isStrict);
  });
  const first = [...whole(pathSegmentErrors, false), ...loose, ...earlier];
  return subresource === ""
    ? [...first, ...strategy.validateUpdate(object, live, context, later)]
    : [...first, ...later, ...strategy.validateUpdate(object, live, context)];
}
