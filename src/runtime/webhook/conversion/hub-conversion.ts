/**
 * Converts objects between the versions of their kinds, through the hub, and keeps the fields that
 * a version cannot hold.
 */
import { type Clock, settlePromises, systemClock } from "../../../clock.ts";
import { InternalError } from "../../../errors.ts";
import { type Logger, silentLogger } from "../../../log.ts";
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { apiVersionOf, parseApiVersion, type ResourceInfo } from "../../../kube/resource.ts";
import { CONVERSION_PATH, conversionOf } from "../../../kube/webhooks/webhook-marks.ts";
import { omittedText, ReportLimit } from "../../report-limit.ts";
import { ToldBefore } from "../../told-before.ts";
import type { AnyConverter, ConversionRegistry } from "./conversion-registry.ts";
import { annotationBytes } from "./stash.ts";
import { type Ignored, type Step, type StepOptions, takeStep } from "./step.ts";
import { ownTrust, type TrustOf } from "./trust.ts";

interface ConvertedKind {
  readonly hub: ResourceInfo;
  /** The converters by the apiVersion of their spoke. */
  readonly spokes: Map<string, AnyConverter>;
}

export interface HubConversionOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** `false`: only the converters decide, and the fields that they drop are lost. */
  readonly lossless?: boolean;
  /** The bytes that the annotations of the objects of all requests can grow by; any number when absent. */
  readonly keptMaxBytes?: number;
  /** The failure of a request that fits only when others are answered. */
  readonly busy?: () => Error;
  /** What is restored from annotations; only what this process kept when absent. */
  readonly trustOf?: TrustOf;
  /** Resolves when `trustOf` may be asked; it may at once when absent. */
  readonly untilKnown?: (signal?: AbortSignal) => Promise<void>;
}

const IGNORED: Readonly<Record<Ignored, string>> = {
  unreadable:
    "The annotation is ignored because it does not contain fields of another version of the object.",
  "unsigned status":
    "The status in the annotation is not restored because this operator did not sign it: somebody wrote or copied it, or the operator's key is new. The operator has to set these fields again.",
  invalid:
    "The fields in the annotation are not restored because this operator did not sign them, and with them the object would not be valid in the version that they are for.",
  "outdated status":
    "The status fields in the annotation are not restored because the rest of the status has changed since they were kept. This is logged for one object of the kind.",
  unsigned:
    "The status fields that the other version lacks are kept without a signature, and not restored, because the request did not come to the path that this operator writes into the CRD. This is logged for one object of the kind.",
  "too large":
    "The fields that the other version lacks are too large for the annotation. The object is shown without them there, and cannot be written in that version.",
};

/** These concern all objects of a kind. */
const ONCE_A_KIND: ReadonlySet<Ignored> = new Set(["outdated status", "unsigned"]);

/** The number of objects, and the time, after which other work gets a turn. */
const OBJECTS_AT_ONCE = 100;
const MS_AT_ONCE = 20;

/** The reason why an object cannot be converted. */
class ConversionError extends Error {
  override readonly name = "ConversionError";
}

export class HubConversion implements ConversionRegistry {
  readonly #kinds = new Map<string, ConvertedKind>();
  readonly #options: StepOptions;
  readonly #clock: Clock;
  readonly #keptMaxBytes: number;
  readonly #busy: () => Error;
  /** Of the requests under way. */
  #keptBytes = 0;
  readonly #trustOf: TrustOf;
  readonly #untilKnown: HubConversionOptions["untilKnown"];

  constructor({
    clock = systemClock,
    log = silentLogger,
    lossless = true,
    keptMaxBytes = Infinity,
    busy = () => new ConversionError("other conversions take the memory for kept fields"),
    trustOf = ownTrust(),
    untilKnown,
  }: HubConversionOptions = {}) {
    const told = new ToldBefore();
    // Anybody can send any number of objects that do not exist.
    const limits: Readonly<Record<Ignored, ReportLimit>> = {
      unreadable: new ReportLimit(clock),
      "unsigned status": new ReportLimit(clock),
      invalid: new ReportLimit(clock),
      "outdated status": new ReportLimit(clock),
      unsigned: new ReportLimit(clock),
      "too large": new ReportLimit(clock),
    };
    this.#clock = clock;
    this.#keptMaxBytes = keptMaxBytes;
    this.#busy = busy;
    this.#trustOf = trustOf;
    this.#untilKnown = untilKnown;
    this.#options = {
      lossless,
      ignored: (why, annotation, object) => {
        const { metadata } = object;
        const which = ONCE_A_KIND.has(why) ? object.kind : (metadata.uid ?? objectNameOf(object));
        if (!told.isFirst(`${why} ${annotation} ${which}`)) return;
        const omitted = limits[why].admit();
        if (omitted === undefined) return;
        const fields = { annotation, kind: object.kind, name: metadata.name };
        log.warn(
          metadata.namespace === undefined ? fields : { ...fields, namespace: metadata.namespace },
          `${IGNORED[why]}${omittedText(omitted)}`,
        );
      },
    };
  }

  add(converter: AnyConverter): void {
    const mark = conversionOf(converter);
    if (!mark)
      throw new InternalError(`${converter.constructor.name} has no marker @ConversionWebhook.`);
    const { hub, spoke } = mark;
    const key = kindKey(hub.group, hub.kind);
    const kind = this.#kinds.get(key) ?? { hub, spokes: new Map<string, AnyConverter>() };
    kind.spokes.set(apiVersionOf(spoke), converter);
    this.#kinds.set(key, kind);
  }

  /** @throws Error that names the object and the converter */
  async convert(
    objects: readonly SentObject[],
    desiredAPIVersion: string,
    signal?: AbortSignal,
    path = CONVERSION_PATH,
  ): Promise<readonly SentObject[]> {
    await this.#untilKnown?.(signal);
    const kept = new KeptBytes((bytes) => {
      this.#keptBytes += bytes;
    });
    try {
      return await this.#convertAll(objects, desiredAPIVersion, { signal, path, kept });
    } finally {
      kept.add(-kept.bytes);
    }
  }

  async #convertAll(
    objects: readonly SentObject[],
    desiredAPIVersion: string,
    { signal, path, kept }: { signal: AbortSignal | undefined; path: string; kept: KeptBytes },
  ): Promise<readonly SentObject[]> {
    const converted: SentObject[] = [];
    let turn = { atMs: this.#clock.monotonicMs(), before: 0 };
    for (const object of objects) {
      const isLong = this.#clock.monotonicMs() - turn.atMs >= MS_AT_ONCE;
      if (isLong || converted.length - turn.before >= OBJECTS_AT_ONCE) {
        await settlePromises();
        signal?.throwIfAborted();
        turn = { atMs: this.#clock.monotonicMs(), before: converted.length };
      }
      const result = this.convertOne(object, desiredAPIVersion, path);
      kept.add(annotationBytesOf(result) - annotationBytesOf(object));
      const isTooMuch = kept.bytes > this.#keptMaxBytes;
      if (isTooMuch) throw new ConversionError(tooMuchKept(desiredAPIVersion));
      if (this.#keptBytes > this.#keptMaxBytes) throw this.#busy();
      converted.push(result);
    }
    return converted;
  }

  /** Converts one object to that version. @throws Error that names the object and the converter */
  convertOne(object: SentObject, desiredAPIVersion: string, path = CONVERSION_PATH): SentObject {
    try {
      const steps = this.#steps(object, desiredAPIVersion, path);
      return steps.reduce((before, step) => takeStep(before, step, this.#options), object);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConversionError(
        `${object.kind} ${objectNameOf(object)} cannot be converted from ${object.apiVersion} to ${desiredAPIVersion}: ${reason}`,
        { cause: error },
      );
    }
  }

  #steps({ apiVersion, kind: name }: SentObject, desired: string, path: string): readonly Step[] {
    if (apiVersion === desired) return [];
    const { group } = parseApiVersion(apiVersion);
    const kind = this.#kinds.get(kindKey(group, name));
    if (!kind) throw new ConversionError(`no converter was added for the kind ${name} of ${group}`);
    const hub = apiVersionOf(kind.hub);
    const converterOf = (spoke: string): AnyConverter => {
      const converter = kind.spokes.get(spoke);
      if (converter) return converter;
      const known = [hub, ...kind.spokes.keys()].join(", ");
      throw new ConversionError(`no converter was added for ${spoke}; there are ${known}`);
    };
    const trust = this.#trustOf(kind.hub, path);
    const steps: Step[] = [];
    if (apiVersion !== hub) {
      const converter = converterOf(apiVersion);
      steps.push({ converter, from: apiVersion, to: hub, toHub: true, trust });
    }
    if (desired !== hub) {
      steps.push({ converter: converterOf(desired), from: hub, to: desired, toHub: false, trust });
    }
    return steps;
  }
}

/** The growth of the annotations in one request, which counts for all. */
class KeptBytes {
  readonly #counted: (bytes: number) => void;
  #sum = 0;

  constructor(counted: (bytes: number) => void) {
    this.#counted = counted;
  }

  /** Annotations that become smaller give nothing to other requests. */
  get bytes(): number {
    return Math.max(0, this.#sum);
  }

  add(bytes: number): void {
    const before = this.bytes;
    this.#sum += bytes;
    this.#counted(this.bytes - before);
  }
}

const annotationBytesOf = ({ metadata }: SentObject): number =>
  isJsonObject(metadata) ? annotationBytes(metadata) : 0;

const tooMuchKept = (version: string): string =>
  `The fields that ${version} lacks in all of the objects take too much memory to be kept in annotations: list fewer objects at once, or give the operator's container more memory.`;

const kindKey = (group: string, kind: string): string => `${group}/${kind}`;

function objectNameOf(object: SentObject): string {
  // An object that the API server converts for an apply may lack metadata.
  const metadata: JsonObject = isJsonObject(object.metadata) ? { ...object.metadata } : {};
  const { namespace, name = metadata["generateName"] } = metadata;
  const shown = typeof name === "string" ? name : "without a name";
  return typeof namespace === "string" ? `${namespace}/${shown}` : shown;
}
