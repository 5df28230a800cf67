/**
 * What conversions trust, from the cluster: the key of each kind, and its CustomResourceDefinition. Conversions wait
 * until both were read; they are read again from time to time.
 */
import { InternalError, messageOf } from "../../errors.ts";
import type { SentObject } from "../../kube/object.ts";
import { groupResourceOf, metadataOf, type ResourceInfo } from "../../kube/resource.ts";
import { isForbidden } from "../../kube/status.ts";
import {
  CONVERSION_KEY_VERBS,
  conversionKeySecret,
} from "../../kube/webhooks/conversion-rights.ts";
import type { LoadContentCheck } from "../../kube/webhooks/webhook-marks.ts";
import type { Logger } from "../../log.ts";
import type { PlannedAccess } from "../client/access.ts";
import { SECRET } from "./certificates/targets.ts";
import { ConversionKey } from "./conversion-keys.ts";
import { ConversionPath } from "./conversion/conversion-path.ts";
import {
  CRD,
  type PathAttempt,
  PathWriter,
  type PathWriterParts,
  type ServedDefinition,
} from "./conversion-path-writer.ts";
import type { ConvertedDefinition, KindTrust } from "./conversion/trust.ts";

const LOOK_MS = 30_000;
const FIRST_RETRY_MS = 500;
const JITTER = 0.2;
/** How soon a request at another path has the CRD read again. */
const SOON_MS = 5000;

/** Its client is neither cached nor fenced, because every replica converts; its namespace has the Secrets with the keys. */
export interface ClusterTrustParts extends PathWriterParts {
  readonly log: Logger;
  /** Whether the path of an earlier process counts: for one that is restarted all the time. Defaults to false. */
  readonly keepsPath?: boolean;
  readonly hubs: readonly ResourceInfo[];
  readonly loadCheck: LoadContentCheck;
}

/** One kind, and what was read of it. */
interface Known {
  readonly crd: string;
  readonly key: ConversionKey;
  readonly path: ConversionPath;
  readonly writer: PathWriter;
  served?: ServedDefinition | undefined;
  definition?: ConvertedDefinition;
}

export class ClusterTrust {
  readonly #parts: ClusterTrustParts;
  readonly #kinds: ReadonlyMap<string, Known>;
  readonly #waiting = new Set<() => void>();
  #problems: readonly string[] = [];
  #told: readonly string[] = [];
  #lookedAtMs = -Infinity;
  #hurry: (() => void) | undefined;

  constructor(parts: ClusterTrustParts) {
    this.#parts = parts;
    const names = [...new Set(parts.hubs.map(groupResourceOf))];
    this.#kinds = new Map(
      names.map((crd) => {
        const key = new ConversionKey(parts, crd);
        const path = new ConversionPath(parts.clock, () => key.keys, parts.keepsPath);
        return [crd, { crd, key, path, writer: new PathWriter(parts, path) }];
      }),
    );
  }

  /** Reads all, and again until `signal` is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    for (let failures = 0; ;) {
      const isStale = await this.#look();
      failures = this.#problems.length === 0 && !isStale ? 0 : failures + 1;
      const retryMs = FIRST_RETRY_MS * 2 ** Math.min(failures, 10);
      const pauseMs = failures === 0 ? LOOK_MS : Math.min(retryMs, LOOK_MS);
      await this.#pause(pauseMs * (1 - JITTER * clock.random()), signal);
      if (signal.aborted) return;
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

  readonly trustOf = (hub: ResourceInfo, path: string): KindTrust => {
    const kind = this.#kinds.get(groupResourceOf(hub));
    const [first, ...rest] = kind?.key.keys ?? [];
    if (!first || !kind?.definition) throw new InternalError(`${hub.kind} is converted too early.`);
    const signs = kind.path.trusts(path);
    // The CRD may have been applied again without the path.
    if (!signs) this.#hurry?.();
    return { keys: [first, ...rest], definition: kind.definition, signs };
  };

  /** A request to this path got no answer: API servers show the path in the error. */
  unanswered(path: string): void {
    for (const kind of this.#kinds.values()) kind.path.exposed(path);
    this.#hurry?.();
  }

  get #isKnown(): boolean {
    return [...this.#kinds.values()].every(({ key, definition }) => key.keys[0] && definition);
  }

  /** Waits, or less if a request came in at a path that is not in the CRD. */
  async #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const hurried = new AbortController();
    this.#hurry = () => {
      this.#hurry = undefined;
      const soonMs = Math.max(0, this.#lookedAtMs + SOON_MS - clock.monotonicMs());
      clock.after(soonMs, () => hurried.abort(), { unref: true });
    };
    await clock.sleep(pauseMs, AbortSignal.any([signal, hurried.signal])).catch(() => undefined);
    this.#hurry = undefined;
  }

  /** @returns whether a CRD has changed meanwhile */
  async #look(): Promise<boolean> {
    const { clock, log } = this.#parts;
    this.#lookedAtMs = clock.monotonicMs();
    const problems: string[] = [];
    const lesser: string[] = [];
    let isStale = false;
    for (const kind of this.#kinds.values()) {
      for (const problem of [await kind.key.look(), await this.#readDefinition(kind)]) {
        if (problem !== undefined) problems.push(problem);
      }
      const attempt = await this.#keepPath(kind);
      if (attempt.problem !== undefined) lesser.push(attempt.problem);
      isStale ||= attempt.isStale === true;
    }
    const all = [...problems, ...lesser];
    for (const problem of all) if (!this.#told.includes(problem)) log.warn(problem);
    this.#told = all;
    this.#problems = problems;
    if (this.#isKnown) for (const end of this.#waiting) end();
    return isStale;
  }

  async #keepPath(kind: Known): Promise<PathAttempt> {
    if (!kind.served || kind.key.keys.length === 0) return {};
    const attempt = await kind.writer.keep(kind.served);
    if (attempt.written) await this.#adopt(kind, attempt.written);
    if (attempt.isStale === true) kind.served = undefined;
    return attempt;
  }

  /** Reads a CRD that has changed; the problem with it. */
  async #readDefinition(kind: Known): Promise<string | undefined> {
    const { client } = this.#parts;
    const { crd: name } = kind;
    try {
      const metadata = await client.find(metadataOf(CRD), { name });
      if (!metadata)
        return `The CustomResourceDefinition ${name} does not exist. Run \`tsop deploy\`.`;
      const { resourceVersion } = metadata.metadata;
      if (kind.definition && kind.served?.metadata.resourceVersion === resourceVersion) {
        return undefined;
      }
      await this.#adopt(kind, await client.get(CRD, { name }));
      return undefined;
    } catch (error) {
      return isForbidden(error)
        ? `The operator is not allowed to get customresourcedefinitions.apiextensions.k8s.io ${name}. ${ADVICE}.`
        : `The CustomResourceDefinition ${name} could not be read: ${messageOf(error)}`;
    }
  }

  async #adopt(kind: Known, served: ServedDefinition): Promise<void> {
    kind.served = served;
    kind.definition = convertedDefinition(served, await this.#parts.loadCheck());
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
      // Without `patch`, objects are converted, and nothing is signed.
      { resource: CRD, name, verbs: ["get"] },
    ]),
  ];
  return accesses.map((access) => ({ ...access, advice: ADVICE }));
}
