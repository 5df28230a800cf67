/**
 * Webhooks that a `tsop run` answers for a while in place of the deployed operator: the state of
 * their configurations and CRDs meanwhile, and the state before. Pure.
 *
 * The earlier state stands in an annotation of the object itself, so that a later command can put
 * it back, also after a run that was killed.
 */
import type { ManifestObject } from "../../kube/object.ts";

/** The annotation that names the run which answers the webhooks, and holds the object's state before. */
const ANSWERED_BY = "run.tsop.dev/answered-by";
/** The prefix of annotations that have cert-manager write its own authority into an object. */
const INJECTION = "cert-manager.io/inject-";

/** A run that answers webhooks. */
export interface Run {
  /** The identity of the run. */
  readonly id: string;
  /** The run's place, for people. */
  readonly by: string;
}

interface Redirection extends Run {
  /** Absent where the run made the object. */
  readonly before?: Earlier;
}

/** The parts of an object that a run changes. */
interface Earlier {
  /** The annotations that tell cert-manager to write into the object. */
  readonly injections: Readonly<Record<string, string>>;
  readonly webhooks?: readonly object[];
  readonly conversion?: object;
}

/** A configuration or a CRD. */
interface Asking extends ManifestObject {
  readonly webhooks?: readonly object[];
  readonly spec?: { readonly conversion?: object };
}

/** The run that answers the object's webhooks; `undefined` where the deployed operator does. */
export function runThatAnswers(live: ManifestObject): Run | undefined {
  return redirectionOf(live);
}

/** A configuration that is not in the cluster, as a run makes it. */
export function madeByRun(run: Run, wanted: ManifestObject): ManifestObject {
  return annotated(wanted, { ...others(wanted), [ANSWERED_BY]: JSON.stringify(run) });
}

/** The object as it asks a run; `wanted` has the run's address in it. */
export function redirected<T extends ManifestObject>(live: T, wanted: ManifestObject, run: Run): T {
  const earlier = redirectionOf(live);
  // An earlier run's own changes are not the state to go back to.
  const before = earlier ? earlier.before : earlierOf(live);
  const redirection: Redirection = { ...run, ...(before && { before }) };
  const { webhooks, spec } = wanted as Asking;
  const content = {
    ...(webhooks && { webhooks }),
    ...(spec?.conversion && { conversion: spec.conversion }),
  };
  return annotated(withContent(live, content), {
    ...others(live),
    [ANSWERED_BY]: JSON.stringify(redirection),
  });
}

/** The object as it was before runs answered its webhooks; `undefined` where one of them made it. */
export function asBefore<T extends ManifestObject>(live: T): T | undefined {
  const before = redirectionOf(live)?.before;
  if (!before) return undefined;
  return annotated(withContent(live, before), { ...others(live), ...before.injections });
}

function redirectionOf({ metadata }: ManifestObject): Redirection | undefined {
  const text = metadata.annotations?.[ANSWERED_BY];
  return text === undefined ? undefined : (JSON.parse(text) as Redirection);
}

function earlierOf(live: ManifestObject): Earlier {
  const annotations = Object.entries(live.metadata.annotations ?? {});
  const injections = Object.fromEntries(annotations.filter(([name]) => name.startsWith(INJECTION)));
  const { webhooks = [], spec } = live as Asking;
  if (live.kind !== "CustomResourceDefinition") return { injections, webhooks };
  return { injections, ...(spec?.conversion && { conversion: spec.conversion }) };
}

/** The annotations that neither a run nor cert-manager is told by. */
function others({ metadata }: ManifestObject): Record<string, string> {
  const annotations = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(
    annotations.filter(([name]) => name !== ANSWERED_BY && !name.startsWith(INJECTION)),
  );
}

const annotated = <T extends ManifestObject>(
  object: T,
  annotations: Record<string, string>,
): T => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});

function withContent<T extends ManifestObject>(
  live: T,
  { webhooks, conversion }: Pick<Earlier, "webhooks" | "conversion">,
): T {
  if (live.kind !== "CustomResourceDefinition") return { ...live, webhooks };
  return { ...live, spec: { ...(live as Asking).spec, conversion } };
}
