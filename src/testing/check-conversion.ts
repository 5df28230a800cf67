/** Sends random objects through a converter, there and back. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { messageOf, TsopError } from "../errors.ts";
import type { Converter } from "../kube/webhooks/conversion.ts";
import type { Definition } from "../kube/definition/definition.ts";
import { encodeJson, isJsonObject } from "../kube/json.ts";
import type { JsonObject, KubeObject, SentObject } from "../kube/object.ts";
import { groupResourceOf, type ResourceInfo } from "../kube/resource.ts";
import { conversionOf } from "../kube/webhooks/webhook-marks.ts";
import { HubConversion } from "../runtime/webhook/conversion/hub-conversion.ts";
import { type Mistake, RoundTrip } from "./round-trip.ts";
import { Random } from "./random.ts";
import { simpler, VersionSchema } from "./version-schema.ts";

/** The options of a check. */
export interface CheckConversionOptions {
  /** The project's `config` folder, in which `tsop manifests` wrote the CRD. */
  readonly folder?: string;
  /** The CRD itself, instead of `folder`. */
  readonly crd?: SentObject;
  /** How many objects of each version are converted; 1000 when absent. */
  readonly runs?: number;
  /** The seed of the first object, from which the others count on; 1 when absent. */
  readonly seed?: number;
  /**
   * Changes each random object before the schema judges it: for rules that random values rarely
   * meet, such as a fixed name.
   */
  readonly prepare?: (object: SentObject) => void;
  /**
   * `false`: no fields are kept in annotations, so the converter alone has to restore every object.
   */
  readonly lossless?: boolean;
}

/** The report of a check that found no mistake. */
export interface ConversionReport {
  /** How many objects were converted there and back. */
  readonly objects: number;
  /**
   * The fields that the other version cannot hold, and that only the annotation keeps: of the hub,
   * and of the spoke. A field that should be converted must not be among them.
   */
  readonly kept: { readonly hub: readonly string[]; readonly spoke: readonly string[] };
}

const DEFAULT_RUNS = 1000;
const MAX_SHRINKS = 1000;
/** With fewer objects than this share of the runs, the check says little. */
const MIN_SHARE = 0.1;

/**
 * Checks that a converter loses nothing: random objects that the schema of the CRD allows are
 * converted from the spoke to the hub and back, and from the hub to the spoke and back. They have
 * to come back unchanged, the converted objects have to be valid in their version, and the
 * converter has to return the same each time.
 *
 * @example
 * const { kept } = await checkConversion(new WidgetV1alpha1Conversion());
 * expect(kept).toEqual({ hub: ["spec.color"], spoke: [] });
 *
 * @throws TsopError `conversion-broken` with the field, the smallest object found and its seed;
 *   `no-manifests`, `no-such-version`, `no-random-objects`, `webhook-without-marker`
 */
export async function checkConversion<Hub extends KubeObject, Spoke extends KubeObject>(
  converter: Converter<Hub, Spoke>,
  options: CheckConversionOptions = {},
): Promise<ConversionReport> {
  const mark = conversionOf(converter);
  const { name } = converter.constructor;
  if (!mark) {
    throw new TsopError(
      "not-a-converter",
      `The class ${name} does not specify which versions it converts.`,
      `Put @ConversionWebhook(Hub, Spoke) on ${name}.`,
    );
  }
  const { runs = DEFAULT_RUNS, seed = 1, lossless = true, folder = "config" } = options;
  const definition =
    (options.crd as Definition | undefined) ?? (await readDefinition(folder, mark.hub));
  const hub = versionOf(definition, mark.hub);
  const spoke = versionOf(definition, mark.spoke);
  const conversionWith = (isLossless: boolean): HubConversion => {
    const conversion = new HubConversion({ lossless: isLossless });
    conversion.add(converter);
    return conversion;
  };
  const conversion = conversionWith(lossless);
  const bare = conversionWith(false);
  let objects = 0;
  const kept = { hub: new Set<string>(), spoke: new Set<string>() };
  for (const [side, from, to] of [
    ["spoke", spoke, hub],
    ["hub", hub, spoke],
  ] as const) {
    const trip = new RoundTrip({ from, to, conversion, bare });
    let made = 0;
    for (let run = 0; run < runs; run++) {
      const object = from.object(new Random(seed + run), options.prepare);
      if (!object) continue;
      made++;
      const mistake = trip.mistake(object);
      if (mistake) throw broken(name, smallest(trip, from, object, mistake), seed + run);
      for (const path of trip.lost(object)) kept[side].add(path);
    }
    if (made < runs * MIN_SHARE) throw noObjects(from.version, made, runs);
    objects += made;
  }
  return { objects, kept: { hub: [...kept.hub].sort(), spoke: [...kept.spoke].sort() } };
}

/** The simplest object with the same mistake. */
function smallest(
  trip: RoundTrip,
  from: VersionSchema,
  object: SentObject,
  mistake: Mistake,
): Mistake & { readonly object: SentObject } {
  let found = { ...mistake, object };
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < MAX_SHRINKS;) {
    isSmaller = false;
    for (const candidate of simpler(found.object)) {
      if (tries++ >= MAX_SHRINKS) break;
      const next = from.mistakes(candidate).length > 0 ? undefined : trip.mistake(candidate);
      if (next?.sort !== mistake.sort) continue;
      found = { ...next, object: candidate };
      isSmaller = true;
      break;
    }
  }
  return found;
}

function broken(
  name: string,
  found: Mistake & { readonly object: SentObject },
  seed: number,
): TsopError {
  const object = Object.fromEntries(
    Object.entries(found.object).filter(([field]) => field !== "metadata"),
  );
  return new TsopError(
    "conversion-broken",
    `${name}: ${found.text}. The smallest object found (seed ${seed}): ${encodeJson(object)}`,
    `Fix the converter; checkConversion(..., { seed: ${seed}, runs: 1 }) tries this object again.`,
  );
}

function noObjects(version: string, made: number, runs: number): TsopError {
  return new TsopError(
    "no-random-objects",
    `Only ${made} of ${runs} random objects were allowed by the schema of ${version}.`,
    "Random objects rarely match its patterns and rules. Make them match with checkConversion(..., { prepare: (object) => ... }).",
  );
}

async function readDefinition(folder: string, resource: ResourceInfo): Promise<Definition> {
  const bases = join(folder, "crd/bases");
  const name = groupResourceOf(resource);
  try {
    for (const file of (await readdir(bases)).filter((one) => /\.ya?ml$/.test(one)).sort()) {
      const object: unknown = parse(await readFile(join(bases, file), "utf8"));
      if (!isJsonObject(object) || !isJsonObject(object["metadata"])) continue;
      if (object["metadata"]["name"] === name) return object as JsonObject & Definition;
    }
  } catch (error) {
    throw noManifests(messageOf(error), error);
  }
  throw noManifests(`${bases} has no CRD ${name}`);
}

function noManifests(problem: string, cause?: unknown): TsopError {
  return new TsopError(
    "no-manifests",
    `The operator's manifests cannot be read: ${problem}.`,
    "Run `npx tsop manifests` in the project's folder, and the tests from there.",
    { cause },
  );
}

function versionOf({ metadata, spec }: Definition, resource: ResourceInfo): VersionSchema {
  const version = spec.versions?.find(({ name }) => name === resource.version);
  const schema = version?.schema?.openAPIV3Schema;
  if (schema) return new VersionSchema(resource, schema);
  throw new TsopError(
    "no-such-version",
    `The CRD ${metadata.name ?? ""} has no schema of ${resource.version}.`,
    "Run `npx tsop manifests`, which writes every version that the code has.",
  );
}
