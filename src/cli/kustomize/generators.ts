/**
 * `configMapGenerator` and `secretGenerator`: objects made of files, lines and literals, whose names end with a hash of
 * their content.
 */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { TsopError } from "../../errors.ts";
import { encodeJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../kube/object.ts";
import type { Generator, GeneratorOptions } from "./kustomization.ts";
import { describeId, isSameId, Manifest, textsOf } from "./resource.ts";
import type { SourceFiles } from "./source-files.ts";
import { present } from "../../present.ts";

/** What a generator reads, and the options of all generators of the kustomization. */
export interface GeneratorSettings {
  readonly files: SourceFiles;
  /** The path of a file that the kustomization names. */
  readonly fileOf: (named: string) => Promise<string>;
  readonly options: GeneratorOptions | undefined;
}

/** The object that a generator makes. @throws TsopError `kustomize-generator` or `kustomize-file` */
export async function generate(
  kind: "ConfigMap" | "Secret",
  generator: Generator,
  settings: GeneratorSettings,
): Promise<Manifest> {
  const options = mergeOptions(generator.options, settings.options);
  const { namespace = "", name } = generator;
  const metadata: ManifestObject["metadata"] = { name, ...(namespace === "" ? {} : { namespace }) };
  if (hasEntries(options.labels)) metadata.labels = { ...options.labels };
  if (hasEntries(options.annotations)) metadata.annotations = { ...options.annotations };
  const object: ManifestObject & JsonObject = { apiVersion: "v1", kind, metadata };
  const pairs = await readPairs(generator, settings);
  if (kind === "Secret") {
    object["type"] = (generator.type ?? "") === "" ? "Opaque" : generator.type;
    object["data"] = Object.fromEntries([...pairs].map(([key, bytes]) => [key, base64(bytes)]));
  } else {
    for (const [key, bytes] of pairs) {
      const text = textOrNothing(bytes);
      const field = text === undefined ? "binaryData" : "data";
      object[field] = { ...(object[field] as object | undefined), [key]: text ?? base64(bytes) };
    }
  }
  if (options.immutable) object["immutable"] = true;
  const manifest = new Manifest(object);
  manifest.needsHash = !options.disableNameSuffixHash;
  const { behavior } = generator;
  manifest.behavior = behavior === "merge" || behavior === "replace" ? behavior : "create";
  return manifest;
}

function hasEntries(pairs: object | undefined): boolean {
  return pairs !== undefined && Object.keys(pairs).length > 0;
}

function mergeOptions(own: GeneratorOptions = {}, all: GeneratorOptions = {}): GeneratorOptions {
  return {
    labels: { ...all.labels, ...own.labels },
    annotations: { ...all.annotations, ...own.annotations },
    disableNameSuffixHash: (own.disableNameSuffixHash || all.disableNameSuffixHash) ?? false,
    immutable: (own.immutable || all.immutable) ?? false,
  };
}

async function readPairs(
  generator: Generator,
  { fileOf, files }: GeneratorSettings,
): Promise<Map<string, Uint8Array>> {
  const { at, name } = generator;
  const pairs = new Map<string, Uint8Array>();
  const add = (key: string, value: Uint8Array): void => {
    if (pairs.has(key)) throw broken(at, `${name} gets the key ${JSON.stringify(key)} twice`);
    pairs.set(key, value);
  };
  const { env = "", envs } = generator;
  for (const named of env === "" ? envs : [...envs, env]) {
    const bytes = await files.readBytes(await fileOf(named));
    const text = textOrNothing(bytes);
    if (text === undefined) throw broken(at, `${named} is not UTF-8`);
    for (const [key, value] of envPairs(text)) add(key, Buffer.from(value));
  }
  for (const literal of generator.literals) {
    const equals = literal.indexOf("=");
    if (equals < 1) throw broken(at, `the literal ${JSON.stringify(literal)} is not \`key=value\``);
    add(literal.slice(0, equals), Buffer.from(unquoted(literal.slice(equals + 1))));
  }
  for (const source of generator.files) {
    const { key, path } = fileSource(source, at);
    add(key, await files.readBytes(await fileOf(path)));
  }
  return pairs;
}

function envPairs(text: string): [key: string, value: string][] {
  const lines = text.replace(/^\u{FEFF}/u, "").split("\n");
  return lines.flatMap((written) => {
    const line = written.replace(/\r$/, "").replace(/^\s+/, "");
    if (line === "" || line.startsWith("#")) return [];
    const equals = line.indexOf("=");
    return [equals < 0 ? [line, ""] : [line.slice(0, equals), line.slice(equals + 1)]];
  });
}

function unquoted(text: string): string {
  const first = text[0];
  const isQuoted = text.length > 1 && (first === '"' || first === "'") && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}

function fileSource(source: string, at: string): { key: string; path: string } {
  const parts = source.split("=");
  const [key = "", path = ""] = parts;
  if (parts.length === 1) return { key: posix.basename(source), path: source };
  if (parts.length === 2 && key !== "" && path !== "") return { key, path };
  throw broken(at, `the file ${JSON.stringify(source)} is neither \`path\` nor \`key=path\``);
}

function textOrNothing(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const LINE_LENGTH = 70;

/** Base64 with long content in lines, as kustomize writes it. */
function base64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("base64");
  if (text.length < LINE_LENGTH) return text;
  return text.replace(new RegExp(`.{1,${LINE_LENGTH}}`, "g"), "$&\n");
}

/**
 * Puts a generated object among the others: a new one, or in place of one that it merges with or replaces.
 *
 * @throws TsopError `kustomize-generator`
 */
export function absorbGenerated(manifests: Manifest[], made: Manifest, at: string): void {
  const twins = manifests.filter(({ ids }) => ids.some((id) => isSameId(id, made.id)));
  const [old] = twins;
  const what = describeId(made.id);
  if (twins.length > 1) throw broken(at, `there are several ${what} that it could change`);
  if (!old) {
    if (made.behavior === "create") manifests.push(made);
    else throw broken(at, `there is no ${what} to ${made.behavior}`);
    return;
  }
  if (made.behavior === "create") {
    throw broken(at, `${what} already exists, and its \`behavior\` is not merge or replace`);
  }
  const { object } = made;
  if (made.behavior === "merge") {
    for (const field of ["data", "binaryData"]) {
      const both = { ...textsOf(old.object[field]), ...textsOf(object[field]) };
      if (hasEntries(both)) object[field] = both;
    }
  }
  made.needsHash = made.needsHash && old.needsHash;
  made.takeHistory(old);
  const { name, namespace } = old.object.metadata;
  const { labels, annotations } = object.metadata;
  object.metadata = {
    name,
    ...present({ namespace }),
    ...pairsOf("labels", old.object.metadata.labels, labels),
    ...pairsOf("annotations", old.object.metadata.annotations, annotations),
  };
  manifests[manifests.indexOf(old)] = made;
}

function pairsOf(field: string, one: unknown, other: unknown): object {
  const both = { ...textsOf(one), ...textsOf(other) };
  return hasEntries(both) ? { [field]: both } : {};
}

/** Ends the names of generated objects with the hash of their content. */
export function addHashes(manifests: readonly Manifest[]): void {
  for (const manifest of manifests) {
    if (!manifest.needsHash) continue;
    manifest.rememberName();
    manifest.object.metadata.name = `${manifest.name}-${hashOf(manifest.object)}`;
  }
}

function hashOf(object: JsonObject): string {
  const { kind, data, binaryData, stringData, type } = object;
  const content =
    kind === "Secret"
      ? { data: hashed(data), kind, name: "", ...optional({ stringData }), type: type ?? "" }
      : { ...optional({ binaryData }), data: hashed(data), kind, name: "" };
  const digest = createHash("sha256").update(goJson(content)).digest("hex");
  const letters: Readonly<Record<string, string>> = { 0: "g", 1: "h", 3: "k", a: "m", e: "t" };
  return digest.slice(0, 10).replace(/[013ae]/g, (letter) => letters[letter] ?? letter);
}

function hashed(data: unknown): unknown {
  return isJsonObject(data) ? sortedKeys(data) : "";
}

function optional(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => isJsonObject(value))
      .map(([field, value]) => [field, hashed(value)]),
  );
}

function sortedKeys(object: JsonObject): JsonObject {
  const compare = (one: string, other: string): number =>
    Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Object.fromEntries(
    Object.keys(object)
      .sort(compare)
      .map((key) => [key, object[key]]),
  );
}

/** JSON as Go writes it: safe inside of HTML. */
function goJson(value: unknown): string {
  return encodeJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function broken(at: string, what: string): TsopError {
  return new TsopError(
    "kustomize-generator",
    `${at}: ${what}.`,
    "Correct the generator, or the files that it names.",
  );
}
