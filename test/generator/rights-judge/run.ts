/** Runs a project on a control plane, with the rights of its role and no others. */
import { inspect } from "node:util";
import { parseAllDocuments } from "yaml";
import type { ControlPlane } from "../../../src/controlplane/control-plane.ts";
import { type Manager, type ManagerOptions, mergePatch } from "../../../src/index.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import type { Logger } from "../../../src/log.ts";
import {
  clientFor,
  inProcess,
  installCrds,
  startControlPlane,
  VirtualClock,
  type CrdManifest,
} from "../../../src/testing.ts";
import { kindNamed, NAMES, NAMESPACE, PAGE, startObjects } from "./kinds.ts";
import { Loaded } from "./load.ts";
import { type Observed, ObservingTransport } from "./observed.ts";

/** A rule of a role. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** What happened in a run. */
export interface Run {
  readonly requests: readonly Observed[];
  /** Errors that the code did not expect. */
  readonly errors: readonly string[];
  readonly loaded: Loaded;
}

const OPERATOR = "system:serviceaccount:judge-system:judge";
const ROUND_MS = 2000;
const RBAC = "rbac.authorization.k8s.io";

/** A control plane with the objects of the pool, of which each run gets a copy. */
export class Ground {
  readonly #base: ControlPlane;
  readonly #clock: VirtualClock;

  private constructor(base: ControlPlane, clock: VirtualClock) {
    this.#base = base;
    this.#clock = clock;
  }

  /** @param crds - of the kinds of the project, as YAML */
  static async start(crds: readonly string[]): Promise<Ground> {
    const clock = new VirtualClock();
    const base = await startControlPlane({
      clock,
      listen: false,
      controllers: "off",
      disableAdmissionPlugins: ["ServiceAccount"],
    });
    const manifests = crds.flatMap((text) =>
      parseAllDocuments(text).map((document) => document.toJS() as CrdManifest),
    );
    await installCrds(base, ...manifests);
    const client = clientFor(base);
    for (const object of startObjects()) {
      await client.create(await client.dynamic(object.apiVersion, object.kind), object as never);
    }
    return new Ground(base, clock);
  }

  /** Runs a project for its objects, twice each, and then for their end. */
  async run(files: ReadonlyMap<string, string>, rules: readonly Rule[]): Promise<Run> {
    const cluster = await this.#base.fork();
    try {
      await grant(cluster, rules);
      const errors: string[] = [];
      const identity = { user: OPERATOR, groups: ["system:authenticated"] };
      const transport = new ObservingTransport(inProcess(cluster, identity));
      const loaded = new Loaded(files);
      const start = loaded.import("src/main.ts")["start"] as (options: ManagerOptions) => Manager;
      const manager = start({
        transport,
        log: errorsInto(errors),
        warnings: "ignore",
        metrics: { port: 0 },
      });
      const stop = new AbortController();
      const running = manager.start(stop.signal);
      await this.#clock.advance(ROUND_MS);
      await touchPages(cluster);
      await this.#clock.advance(ROUND_MS);
      await deletePages(cluster);
      await this.#clock.advance(ROUND_MS);
      stop.abort();
      await running;
      return { requests: transport.requests, errors, loaded };
    } finally {
      await cluster.stop();
    }
  }

  stop(): Promise<void> {
    return this.#base.stop();
  }
}

/** Changes each object of the project's kind, so that it is reconciled again. */
async function touchPages(cluster: ControlPlane): Promise<void> {
  const client = clientFor(cluster);
  const { apiVersion } = kindNamed(PAGE);
  const token = await client.dynamic(apiVersion, PAGE);
  for (const name of NAMES) {
    const key = { namespace: NAMESPACE, name };
    await client.patch(token, key, mergePatch({ spec: { size: 1 } }));
  }
}

/** Deletes the objects of the project's kind, so that they are cleaned up. */
async function deletePages(cluster: ControlPlane): Promise<void> {
  const client = clientFor(cluster);
  const token = await client.dynamic(kindNamed(PAGE).apiVersion, PAGE);
  await client.deleteAllOf(token, { namespace: NAMESPACE });
}

async function grant(cluster: ControlPlane, rules: readonly Rule[]): Promise<void> {
  const client = clientFor(cluster);
  const metadata = { name: "judge" };
  const role = { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata, rules };
  const binding = {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata,
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "judge" },
    subjects: [{ apiGroup: RBAC, kind: "User", name: OPERATOR }],
  };
  for (const object of [role, binding]) {
    await client.create(await client.dynamic(object.apiVersion, object.kind), object);
  }
}

/** A logger that keeps the errors. */
function errorsInto(errors: string[]): Logger {
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields: object | string, message?: string) => {
      const { err } = typeof fields === "string" ? { err: fields } : (fields as { err?: unknown });
      errors.push(`${message ?? ""}: ${inspect(err)}`);
    },
    child: () => logger,
  };
  return logger;
}

/** The rules of the roles of a file. */
export const rulesIn = (text: string): Rule[] =>
  parseAllDocuments(text).flatMap((document) => {
    const role = document.toJS() as (ManifestObject & { readonly rules?: readonly Rule[] }) | null;
    return role?.rules ?? [];
  });
