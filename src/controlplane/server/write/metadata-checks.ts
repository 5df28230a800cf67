/**
 * The checks of the metadata of a changed object: once as any object's, once as any change's, and
 * then in the validation of its kind. Repeated errors are reported repeatedly, and clients see it.
 */
import type { FieldError } from "../../../kube/field-errors.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../kube/metadata.ts";
import { pathSegmentErrors } from "../../../kube/names.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { MetadataCheck, ServedResource, Strategy } from "../../kinds.ts";
import type { Endpoint } from "../cluster/cluster.ts";

const CHANGE: readonly MetadataCheck[] = ["change"];

/** Whether finalizers without a domain must be those that Kubernetes knows. */
export function hasStrictFinalizers({ builtIn, traits }: ServedResource): boolean {
  return builtIn && !traits?.freeFinalizers;
}

/** The errors of a new object, from those of its metadata and the others. */
export function createErrors(
  resource: ServedResource,
  ofMetadata: FieldError[],
  ofRest: FieldError[],
): FieldError[] {
  if (!resource.traits?.metadataLast) return [...ofMetadata, ...ofRest];
  return ofRest.length > 0 ? ofRest : ofMetadata;
}

/** The kind in errors: inside of the server, both groups have the Event of the core group. */
export function errorKindOf(group: string, kind: string): { group: string; kind: string } {
  return { group: group === "events.k8s.io" ? "" : group, kind };
}

/**
 * Errors of the metadata of a changed object: those before the errors of its kind, and those among
 * them.
 */
export function metadataErrors(
  { resource, strategy, subresource }: Endpoint,
  object: SentObject,
  old: SentObject,
): { readonly first: FieldError[]; readonly second: FieldError[] } {
  const whole = (nameRule: Strategy["validateName"], strictFinalizers: boolean): FieldError[] =>
    validateObjectMeta(object.metadata, resource.namespaced, nameRule, { strictFinalizers });
  const change = (strictFinalizers: boolean): FieldError[] =>
    validateObjectMetaUpdate(object.metadata, old.metadata, { strictFinalizers });
  const { metadataChecks, subresourceMetadataChecks } = resource.traits ?? {};
  const own = subresource === "" ? metadataChecks : subresourceMetadataChecks;
  const isStrict = hasStrictFinalizers(resource);
  const loose = change(false);
  const [earlier = [], later = []] = (own ?? CHANGE).map((check) =>
    check === "change"
      ? isStrict
        ? change(true)
        : loose
      : whole((name, prefix) => strategy.validateName(name, prefix), isStrict),
  );
  return {
    first: [...whole(pathSegmentErrors, false), ...loose, ...earlier],
    second: later,
  };
}
