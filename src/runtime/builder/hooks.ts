/** The requirements of a reconciler's hooks, and the mistakes by which one is never called. */
import { TsopError } from "../../errors.ts";
import { qualifiedNameErrors } from "../../kube/names.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ReadToken, ResourceInfo } from "../../kube/resource.ts";
import type { Reconciler } from "../controller/reconciler.ts";

/** The kind that a controller is for, as it was given. */
export interface MainKind {
  readonly token: ReadToken;
  readonly resource: ResourceInfo;
  /** Whether it is a class of this program whose CRD is also this program's. */
  readonly isOwn: boolean;
}

const HOOKS = ["cleanup", "onError"] as const;

/** Refuses hooks that would never be called. @throws TsopError `controller-misbuilt` */
export function assertHooks(reconciler: Reconciler, main: MainKind | undefined): void {
  for (const hook of HOOKS) {
    if (reconciler[hook] && !main) {
      throw misbuilt(
        `its reconciler has ${hook}(), which is called with an object, but for() was not called`,
        "Call for() with the kind whose keys are reconciled.",
      );
    }
  }
  for (const name of namesIn(reconciler)) {
    const meant = HOOKS.find((hook) => hook.toLowerCase() === name.toLowerCase());
    if (!meant || meant === name) continue;
    throw misbuilt(
      `its reconciler has ${name}(), which is never called`,
      `Rename it to ${meant}(), or to a name that is less similar.`,
    );
  }
}

/** The property names of an object, including those from its classes. */
function namesIn(value: object): Set<string> {
  const names = new Set<string>();
  for (let at: object | null = value; at; at = Object.getPrototypeOf(at) as object | null) {
    if (at === Object.prototype) break;
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return names;
}

/**
 * The finalizer of a controller's cleanup, also where the reconciler has none now.
 *
 * @throws TsopError `controller-misbuilt` when there is a cleanup, and the finalizer is unknown, or
 *   is not a valid name
 */
export function finalizerOf<K extends KubeObject>(
  reconciler: Reconciler<K>,
  { resource, isOwn }: MainKind,
  { name, finalizer: chosen }: { readonly name: string; readonly finalizer?: string },
): string | undefined {
  const finalizer = chosen ?? (isOwn ? `${resource.group}/${name}` : undefined);
  if (!reconciler.cleanup) return finalizer;
  if (finalizer === undefined) {
    throw misbuilt(
      `its cleanup needs a finalizer in its own domain, because ${resource.kind} is not a kind of this program`,
      'Name one in your own domain: withOptions({ finalizer: "web.example.com/cleanup" }).',
    );
  }
  // The API server takes such names for kinds of CRDs, with a warning: operators had them before there were domains.
  const needsDomain = !finalizer.includes("/") && !resource.group.includes(".");
  const [error] = needsDomain
    ? [`${resource.kind} is built into Kubernetes, which refuses a finalizer without a domain`]
    : qualifiedNameErrors(finalizer);
  if (error === undefined) return finalizer;
  throw misbuilt(
    `the finalizer ${finalizer} of its cleanup is not valid: ${error}`,
    'Give another one: withOptions({ finalizer: "web.example.com/cleanup" }).',
  );
}

export function misbuilt(detail: string, fix: string): TsopError {
  return new TsopError("controller-misbuilt", `The controller cannot be built: ${detail}.`, fix);
}
