/** One `tsop dev`: code to manifests, bundle and running operator, again on every save. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ControlPlane } from "../../../controlplane/control-plane.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { openBundle, type OpenBundle } from "../bundle.ts";
import { openCluster, type ClusterSession } from "../../cluster/cluster-session.ts";
import {
  openManifests,
  writeManifests,
  type ManifestSource,
} from "../../project/generated-manifests.ts";
import type { CliContext } from "../../context.ts";
import { isCrd } from "../../project/crd.ts";
import { readManifests } from "../../kustomize/manifests.ts";
import { OpenKustomization } from "../../kustomize/open-kustomization.ts";
import { SourceFiles } from "../../kustomize/source-files.ts";
import { EXTERNAL_CRDS, isInstalled, operatorUser } from "../../project/installed.ts";
import { debuggerEnv, type InspectBrk } from "../debugger.ts";
import { OperatorProcess } from "../operator-process.ts";
import { paint } from "../../output.ts";
import { RECORDINGS_VARIABLE } from "../../../runtime/replay/recorder.ts";
import { CONTROLLER_STARTED } from "../../../runtime/controller/controller.ts";
import { writePrivateFile } from "../../project/private-file.ts";
import { apiGroupOf, type Project } from "../../project/project-file.ts";
import { generatedPath, makePrivateFolder } from "../../project/tsop-folder.ts";
import { ownerName } from "../../cluster/ownership.ts";
import { applyAll } from "../../cluster/roll-out.ts";
import { isWebhookConfiguration } from "../../cluster/local-webhooks.ts";
import { tellBreakingSave } from "./breaking-save.ts";
import { DevJournal } from "./dev-journal.ts";
import { DevPage } from "./dev-page.ts";
import { DevWebhooks } from "./dev-webhooks.ts";
import { LogChoice } from "./log-choice.ts";
import { OperatorKeeper, type OperatorEvents } from "./operator-keeper.ts";
import { WaitingProcesses } from "./waiting-processes.ts";

const BUNDLE = generatedPath("dev", "main.mjs");
const OPERATOR_KUBECONFIG = generatedPath("dev", "kubeconfig");
const RECORDINGS = generatedPath("dev", "recordings");
const SAMPLES = "config/samples";
const TIMEOUT_SECONDS = 30;

export interface OperatorSettings {
  readonly args: readonly string[];
  readonly inspectBrk: InspectBrk;
}

/** One project under development: everything but the control plane itself. */
export class DevSession {
  /** The project's page in a browser. */
  readonly page: DevPage;
  /** The lines of the operator that are shown. */
  readonly log = new LogChoice();
  readonly #project: Project;
  readonly #controlPlane: ControlPlane;
  readonly #context: CliContext;
  readonly #session: ClusterSession;
  readonly #operator: OperatorKeeper;
  readonly #waiting: WaitingProcesses;
  #manifests: ManifestSource | undefined;
  #bundle: OpenBundle | undefined;
  readonly #default: OpenKustomization;
  #rendered: readonly ManifestObject[] = [];
  /** The CRDs of others that the operator works with. */
  #external: readonly ManifestObject[] = [];
  #configurations: readonly ManifestObject[] = [];
  readonly #webhooks: DevWebhooks;
  readonly #journal: DevJournal;
  /** The objects of the control plane, as JSON: an edit of a controller's code applies nothing. */
  #applied = "";

  readonly #settings: OperatorSettings;

  constructor(
    project: Project,
    controlPlane: ControlPlane,
    context: CliContext,
    settings: OperatorSettings,
  ) {
    this.#settings = settings;
    this.#project = project;
    this.#controlPlane = controlPlane;
    this.#context = context;
    this.#webhooks = new DevWebhooks(project.root, controlPlane, context.clock);
    this.#journal = new DevJournal(project.root);
    this.#default = new OpenKustomization(join(project.root, "config/default"));
    this.#waiting = new WaitingProcesses(project.root, context);
    this.page = new DevPage(project, controlPlane, context);
    this.#session = openCluster({ kubeconfigText: controlPlane.kubeconfig }, context);
    const controllers = project.resources.filter(({ controller }) => controller).length;
    this.#operator = new OperatorKeeper(
      (onLine) => this.#start(onLine),
      Math.max(controllers, 1),
      context,
    );
  }

  /**
   * Generates, bundles and installs, then replaces the running operator.
   *
   * @throws SourceError for mistakes in the code; what ran before goes on
   */
  async reload(events: OperatorEvents): Promise<void> {
    const { root } = this.#project;
    this.#manifests ??= await openManifests(this.#project);
    this.#bundle ??= await openBundle(root, BUNDLE);
    // The bundler works in a process of its own meanwhile.
    const bundled = this.#bundle.rebuild();
    bundled.catch(() => undefined);
    await writeManifests(this.#project, this.#context, { source: this.#manifests });
    await bundled;
    this.#rendered = await this.#default.render();
    this.#external = await this.#manifestsIn(EXTERNAL_CRDS);
    await this.#install();
    this.page.show(this.#rendered);
    this.#webhooks.pause();
    await this.#operator.replace(events);
  }

  async applySamples(): Promise<void> {
    const samples = await this.#manifestsIn(SAMPLES);
    await applyAll(this.#session, samples, this.#options(), this.#context);
  }

  /** Deletes all objects of the project's kinds; objects that they own are deleted with them, and cleanups run. */
  async deleteObjects(): Promise<void> {
    const { resources } = this.#project;
    let count = 0;
    for (const resource of resources.filter(({ api, external }) => api && external !== true)) {
      const { version, kind } = resource;
      const apiVersion = `${apiGroupOf(this.#project, resource)}/${version}`;
      const served = await this.#session.findResource({ apiVersion, kind });
      for (const object of served ? await this.#session.list(served) : []) {
        if (await this.#session.remove(object)) count++;
      }
    }
    this.#context.out(`deleted ${count} ${count === 1 ? "object" : "objects"} of your kinds`);
  }

  /** The objects in the files of a folder, which need not be there. */
  async #manifestsIn(folder: string): Promise<readonly ManifestObject[]> {
    const path = join(this.#project.root, folder);
    const names = (await readdir(path).catch(() => [])).filter((name) => /\.ya?ml$/.test(name));
    const files = names.filter((name) => !name.startsWith("kustomization.")).sort();
    const objects = await Promise.all(
      files.map((name) => readManifests(join(path, name), new SourceFiles())),
    );
    return objects.flat();
  }

  async stop(): Promise<void> {
    this.#journal.end();
    this.#waiting.stop();
    await this.page.stop();
    await this.#operator.stop();
    await this.#bundle?.close();
  }

  async #install(): Promise<void> {
    // The operator runs here, not in a pod; everything else is as `tsop deploy` would apply it.
    const plain = [...this.#external, ...this.#rendered.filter(isInstalled)];
    const objects = await this.#webhooks.prepare(plain);
    const text = JSON.stringify(objects);
    if (text === this.#applied) return;
    await this.#removeGone(objects);
    const first = this.#applied === "";
    if (!first) await tellBreakingSave(this.#session, objects, this.#context);
    const quiet = first ? { ...this.#context, out: () => undefined } : this.#context;
    const options = { ...this.#options(), changesOnly: true, owner: ownerName(this.#project) };
    await applyAll(this.#session, objects, options, quiet);
    this.#applied = text;
    if (!first) return;
    const kinds = objects.filter(isCrd).map(({ spec }) => spec.names.kind);
    const { bold, dim } = paint(this.#context);
    this.#context.out(
      `${bold("installed")}      ${kinds.join(", ") || "no kind yet"} ${dim(`and ${objects.length - kinds.length} more objects of config/default`)}`,
    );
  }

  /** Removes configurations that are gone from the code: with nobody to answer, they would refuse requests. */
  async #removeGone(objects: readonly ManifestObject[]): Promise<void> {
    const configurations = objects.filter(isWebhookConfiguration);
    const names = new Set(configurations.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    for (const before of this.#configurations) {
      const live = names.has(`${before.kind} ${before.metadata.name}`)
        ? undefined
        : await this.#session.find(before);
      if (live) await this.#session.remove(live);
    }
    this.#configurations = configurations;
  }

  #options(): { dryRun: boolean; timeoutSeconds: number } {
    return { dryRun: false, timeoutSeconds: TIMEOUT_SECONDS };
  }

  /** Runs the operator as its service account: with the rights that it will have in a cluster. */
  #start(onLine: (line: string) => void): OperatorProcess {
    const { args, inspectBrk } = this.#settings;
    const account = operatorUser(this.#rendered);
    const namespace = account?.namespace ?? "default";
    const kubeconfig = account
      ? this.#controlPlane.kubeconfigFor(account)
      : this.#controlPlane.kubeconfig;
    const { root, namespaced } = this.#project;
    const path = join(root, OPERATOR_KUBECONFIG);
    writePrivateFile(path, kubeconfig);
    makePrivateFolder(join(root, RECORDINGS));
    const env = {
      KUBECONFIG: path,
      ...(namespaced ? { WATCH_NAMESPACE: namespace } : {}),
      ...this.#journal.env,
      ...this.#webhooks.env,
      ...debuggerEnv(inspectBrk, this.#context),
      [RECORDINGS_VARIABLE]: `failed:${join(root, RECORDINGS)}`,
    };
    const takes = this.#journal.hear.bind(this.#journal);
    const options = {
      root,
      file: BUNDLE,
      args: [...this.#webhooks.args, ...args],
      env,
      takes,
      shows: this.log.shows.bind(this.log),
      // A debugger waits at the first line of the operator's own file.
      ...(inspectBrk === false && { launch: this.#waiting.launch }),
    };
    // Requests wait after a crash, too.
    this.#webhooks.pause();
    return OperatorProcess.start(options, this.#context, (line) => {
      this.#webhooks.hear(line);
      onLine(line);
      // The next process is prepared only now: the operator that starts has the processor.
      if (inspectBrk === false && line.includes(CONTROLLER_STARTED)) {
        this.#waiting.prepareSoon(this.#bundle?.leftOut);
      }
    });
  }
}
