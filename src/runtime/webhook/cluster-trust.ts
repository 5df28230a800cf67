/**
 * What conversions trust, from the cluster: the key of each kind, and its CustomResourceDefinition. Conversions wait
 * until both were read; they are read again from time to time.
 */
import type { Clock } from "../../clock.ts";
import { InternalError, messageOf } from "../../errors.ts";
import type { Definition } from "../../kube/definition/definition.ts";
import type { KubeObject, SentObject } from "../../kube/object.ts";
import {
  groupResourceOf,
  metadataOf,
  type ResourceInfo,
  type ResourceType,
} from "../../kube/resource.ts";
import { isForbidden } from "../../kube/status.ts";
import {
  CONVERSION_KEY_VERBS,
  conversionKeySecret,
  CONVERTED_CRD_VERBS,
} from "../../kube/webhooks/conversion-rights.ts";
import type { LoadContentCheck } from "../../kube/webhooks/webhook-marks.ts";
import type { Logger } from "../../log.ts";
import type { PlannedAccess } from "../client/access.ts";
import type { Client } from "../client/client.ts";
import { SECRET } from "./certificates/targets.ts";
import { ConversionKey } from "./conversion-keys.ts";
import type { ConvertedDefinition, KindTrust } from "./conversion/trust.ts";

type ServedDefinition = KubeObject & Pick<Definition, "spec" | "status">;

const CRD: ResourceType<ServedDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

const LOOK_MS = 30_000;
const FIRST_RETRY_MS = 500;
const JITTER = 0.2;

export interface ClusterTrustParts {
  /** Neither cached nor fenced: every replica converts. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of the Secrets with the keys. */
  readonly namespace: string;
  readonly hubs: readonly ResourceInfo[];
  readonly loadCheck: LoadContentCheck;
}

/** One kind, and what was read of it. */
interface Known {
  readonly crd: string;
  readonly key: ConversionKey;
  resourceVersion?: string | undefined;
  definition?: ConvertedDefinition;
}

export class ClusterTrust {
  readonly #parts: ClusterTrustParts;
  readonly #kinds: ReadonlyMap<string, Known>;
  readonly #waiting = new Set<() => void>();
  #problems: readonly string[] = [];

  constructor(parts: ClusterTrustParts) {
    this.#parts = parts;
    const names = [...new Set(parts.hubs.map(groupResourceOf))];
    this.#kinds = new Map(names.map((crd) => [crd, { crd, key: new ConversionKey(parts, crd) }]));
  }

  /** Reads all, and again until `signal` is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    for (let failures = 0; ;) {
      await this.#look();
      failures = this.#problems.length === 0 ? 0 : failures + 1;
      const retryMs = FIRST_RETRY_MS * 2 ** Math.min(failures, 10);
      const pauseMs = failures === 0 ? LOOK_MS : Math.min(retryMs, LOOK_MS);
      try {
        await clock.sleep(pauseMs * (1 - JITTER * clock.random()), signal);
      } catch {
        return;
      }
    }
  }

  /** Resolves when conversions know what they trust, or `signal` is aborted. */
  async untilKnown(signal?: AbortSignal): Promise<void> {
    if (this.#isKnown) return;
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      this.#waiting.add(end);
      signal?.addEventListener("abort", end, { once: true });
    });
    signal?.throwIfAborted();
  }

  /** How many conversions wait for it. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Behind `/readyz`. @throws Error what is not known */
  checkReady(): void {
    if (this.#isKnown) return;
    const [first = "The CRDs were not read yet.", ...more] = this.#problems;
    throw new Error([first, ...more].join(" "));
  }

  readonly trustOf = (hub: ResourceInfo): KindTrust => {
    const { key, definition } = this.#kinds.get(groupResourceOf(hub)) ?? {};
    const [first, ...rest] = key?.keys ?? [];
    if (!first || !definition) throw new InternalError(`${hub.kind} is converted too early.`);
    return { keys: [first, ...rest], definition };
  };

  get #isKnown(): boolean {
    return [...this.#kinds.values()].every(({ key, definition }) => key.keys[0] && definition);
  }

  async #look(): Promise<void> {
    const problems: string[] = [];
    for (const kind of this.#kinds.values()) {
      for (const problem of [await kind.key.look(), await this.#readDefinition(kind)]) {
        if (problem !== undefined) problems.push(problem);
      }
    }
    const { log } = this.#parts;
    for (const problem of problems) if (!this.#problems.includes(problem)) log.warn(problem);
    this.#problems = problems;
    if (this.#isKnown) for (const end of this.#waiting) end();
  }

  /** Reads a CRD that has changed; the problem with it. */
  async #readDefinition(kind: Known): Promise<string | undefined> {
    const { client } = this.#parts;
    const { crd: name } = kind;
    try {
      const metadata = await client.find(metadataOf(CRD), { name });
      if (!metadata)
        return `The CustomResourceDefinition ${name} does not exist. Run \`tsop deploy\`.`;
      if (kind.definition && metadata.metadata.resourceVersion === kind.resourceVersion) {
        return undefined;
      }
      const definition = await client.get(CRD, { name });
      kind.resourceVersion = definition.metadata.resourceVersion;
      kind.definition = convertedDefinition(definition, await this.#parts.loadCheck());
      return undefined;
    } catch (error) {
      return isForbidden(error)
        ? `The operator is not allowed to get customresourcedefinitions.apiextensions.k8s.io ${name}. ${ADVICE}.`
        : `The CustomResourceDefinition ${name} could not be read: ${messageOf(error)}`;
    }
  }
}

/** A definition as conversions need it; the checks of a version are made when it is first asked for. */
function convertedDefinition(
  { spec, status }: ServedDefinition,
  checkOf: Awaited<ReturnType<LoadContentCheck>>,
): ConvertedDefinition {
  const versions = new Map((spec.versions ?? []).map((version) => [version.name, version]));
  const storage = [...versions.values()].find((version) => version.storage)?.name ?? "";
  const checks = new Map<string, ReturnType<typeof checkOf>>();
  return {
    storage,
    stored: status?.storedVersions ?? [storage],
    hasStatus: (version) => versions.get(version)?.subresources?.status !== undefined,
    mistakes(object: SentObject) {
      const version = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
      const schema = versions.get(version)?.schema?.openAPIV3Schema;
      if (!schema) return [];
      const check = checks.get(version) ?? checkOf(schema);
      checks.set(version, check);
      return check.mistakes(object);
    },
  };
}

const ADVICE = "Run `tsop manifests` and apply the roles, which include those for conversions";

/** The access that conversions need, for the check of the operator's rights at the start. */
export function conversionAccess(
  hubs: readonly ResourceInfo[],
  namespace: string,
): PlannedAccess[] {
  const names = [...new Set(hubs.map(groupResourceOf))];
  if (names.length === 0) return [];
  const accesses: PlannedAccess[] = [
    { resource: SECRET, namespace, verbs: ["create"] },
    ...names.flatMap((name): PlannedAccess[] => [
      { resource: SECRET, namespace, name: conversionKeySecret(name), verbs: CONVERSION_KEY_VERBS },
      { resource: CRD, name, verbs: CONVERTED_CRD_VERBS },
    ]),
  ];
  return accesses.map((access) => ({ ...access, advice: ADVICE }));
}
