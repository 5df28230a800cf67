/**
 * `tsop dev`: control plane, CRDs and operator here, and again on every save.
 *
 * @module
 */
import { join } from "node:path";
import { startControlPlane, type ControlPlane } from "../../controlplane/control-plane.ts";
import type { KubeObject } from "../../kube/object.ts";
import { bundleOperator } from "../bundle.ts";
import { openCluster, type ClusterSession } from "../cluster-session.ts";
import type { CliContext } from "../context.ts";
import { checkPort } from "../inputs.ts";
import { renderKustomization } from "../kustomize/render.ts";
import { OperatorProcess } from "../operator-process.ts";
import { paint, reportError } from "../output.ts";
import { writePrivateFile } from "../private-file.ts";
import { getProject, type Project } from "../project-file.ts";
import { applyAll } from "../roll-out.ts";
import { watchSources } from "../watch-sources.ts";
import { openManifests, writeManifests, type ManifestSource } from "./manifests.ts";

/** The flags of `tsop dev`. */
export interface DevOptions {
  readonly port: number;
  readonly once: boolean;
}

const BUNDLE = ".tsop/dev/main.mjs";
const ADMIN_KUBECONFIG = ".tsop/kubeconfig";
const OPERATOR_KUBECONFIG = ".tsop/dev/kubeconfig";
const TIMEOUT_SECONDS = 30;

/** Runs until it is interrupted; returns the exit code. */
export async function dev(options: DevOptions, context: CliContext): Promise<number> {
  checkPort(options.port);
  const project = await getProject(context.cwd);
  const { bold, green, dim } = paint(context);
  const signal = context.untilInterrupted();
  const began = context.clock.monotonicMs();
  const controlPlane = await startControlPlane({ port: options.port, clock: context.clock });
  const session = new DevSession(project, controlPlane, context);
  try {
    await writePrivateFile(join(project.root, ADMIN_KUBECONFIG), controlPlane.kubeconfig);
    const tookMs = Math.round(context.clock.monotonicMs() - began);
    context.out(
      `${bold("control plane")}  ${controlPlane.url} (embedded)  ${green("ready")} in ${tookMs} ms  kubeconfig ${ADMIN_KUBECONFIG}`,
    );
    if (options.once) {
      await session.reload();
      return 0;
    }
    await session.reload().catch((error: unknown) => reportError(error, context));
    context.err(dim(`  kubectl --kubeconfig ${ADMIN_KUBECONFIG} apply -f config/samples`));
    context.err(dim("  watching src; Ctrl-C ends"));
    await watchSources(project.root, context.clock, signal, async () => {
      const saved = context.clock.monotonicMs();
      try {
        await session.reload();
        const reloadMs = Math.round(context.clock.monotonicMs() - saved);
        context.out(`${green("reloaded")} in ${reloadMs} ms`);
      } catch (error) {
        // What ran before the save goes on; the mistake is shown until it is gone.
        reportError(error, context);
      }
    });
    return 0;
  } finally {
    await session.stop();
    await controlPlane.stop();
  }
}

/** The operator of one `tsop dev`, from reload to reload. */
class DevSession {
  readonly #project: Project;
  readonly #controlPlane: ControlPlane;
  readonly #context: CliContext;
  readonly #session: ClusterSession;
  #operator: OperatorProcess | undefined;
  #manifests: ManifestSource | undefined;
  /** What the control plane has, as JSON: an edit of a controller's code applies nothing. */
  #applied = "";

  constructor(project: Project, controlPlane: ControlPlane, context: CliContext) {
    this.#project = project;
    this.#controlPlane = controlPlane;
    this.#context = context;
    this.#session = openCluster({ kubeconfigText: controlPlane.kubeconfig }, context);
  }

  /** Generates, bundles and installs, then replaces the running operator. */
  async reload(): Promise<void> {
    const { root } = this.#project;
    this.#manifests ??= await openManifests(this.#project);
    await writeManifests(this.#project, this.#context, this.#manifests);
    await bundleOperator(root, BUNDLE);
    const rendered = await renderKustomization(join(root, "config/default"));
    // The operator runs here, not in a pod; everything else is as `tsop deploy` would apply it.
    const objects = rendered.filter(({ kind }) => kind !== "Deployment" && kind !== "Service");
    const text = JSON.stringify(objects);
    if (text !== this.#applied) {
      const options = { dryRun: false, timeoutSeconds: TIMEOUT_SECONDS };
      await applyAll(this.#session, objects, options, this.#context);
      this.#applied = text;
    }
    await this.#stopOperator();
    await this.#startOperator(rendered);
  }

  async stop(): Promise<void> {
    await this.#stopOperator();
  }

  async #startOperator(rendered: readonly KubeObject[]): Promise<void> {
    const account = serviceAccountOf(rendered);
    const namespace = account?.metadata.namespace ?? "default";
    const kubeconfig = account
      ? this.#controlPlane.kubeconfigFor({
          user: `system:serviceaccount:${namespace}:${account.metadata.name ?? ""}`,
          groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
        })
      : this.#controlPlane.kubeconfig;
    const { root } = this.#project;
    const path = join(root, OPERATOR_KUBECONFIG);
    await writePrivateFile(path, kubeconfig);
    this.#operator = OperatorProcess.start(
      {
        root,
        file: BUNDLE,
        args: [],
        env: {
          KUBECONFIG: path,
          ...(this.#project.namespaced ? { WATCH_NAMESPACE: namespace } : {}),
        },
      },
      this.#context,
    );
    const operator = this.#operator;
    void operator.exited.then((code) => {
      if (this.#operator !== operator) return;
      this.#operator = undefined;
      this.#context.err(
        paint(this.#context).red(
          `the operator ended with ${code ?? "a signal"}; save a file to start it again`,
        ),
      );
    });
  }

  async #stopOperator(): Promise<void> {
    const operator = this.#operator;
    this.#operator = undefined;
    await operator?.stop();
  }
}

/** Whom the operator's pods run as. */
function serviceAccountOf(objects: readonly KubeObject[]): KubeObject | undefined {
  return objects.find(({ kind }) => kind === "ServiceAccount");
}
