/**
 * Reads an OCI image layout: a folder, or a tar of one.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { TsopError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { readTar } from "./tar.ts";

/** A blob, as others refer to it. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The operating system and the processor that an image runs on. */
interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** An image for one platform. */
export interface BaseImage {
  readonly manifest: JsonObject & {
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
  };
  readonly mediaType: string;
  readonly platform: Platform;
  readonly config: JsonObject;
  /** The contents of the layers. */
  readonly layers: readonly Buffer[];
}

type Files = (path: string) => Promise<Buffer | undefined>;

/** The images of the layout. @throws TsopError `image-base` */
export async function readLayout(path: string, given: string): Promise<BaseImage[]> {
  const files = await filesOf(path, given);
  const index = await files("index.json");
  if (!index) throw broken(given, "it has no index.json");
  const images: BaseImage[] = [];
  const waiting = descriptorsIn(parsed(index, given), "manifests");
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    // A builder's attestation about an image is not an image.
    if (next.annotations?.["vnd.docker.reference.type"] !== undefined) continue;
    const manifest = parsed(await blob(files, next, given), given);
    if (Array.isArray(manifest["manifests"])) {
      waiting.unshift(...descriptorsIn(manifest, "manifests"));
      continue;
    }
    const [config] = descriptorsIn({ all: [manifest["config"]] }, "all");
    if (!config) throw broken(given, `the manifest ${next.digest} has no config`);
    const layers = descriptorsIn(manifest, "layers");
    const settings = parsed(await blob(files, config, given), given);
    const contents: Buffer[] = [];
    for (const layer of layers) contents.push(await blob(files, layer, given));
    images.push({
      manifest: { ...manifest, config, layers },
      mediaType: next.mediaType,
      platform: next.platform ?? platformOf(settings),
      config: settings,
      layers: contents,
    });
  }
  if (images.length === 0) throw broken(given, "it has no image");
  return images;
}

async function filesOf(path: string, given: string): Promise<Files> {
  const kind = await stat(path).catch(() => undefined);
  if (!kind) throw broken(given, "there is no such file or folder");
  if (kind.isDirectory()) {
    return (name) => readFile(join(path, name)).catch(() => undefined);
  }
  const files = readTar(await readFile(path), given);
  return (name) => Promise.resolve(files.get(name));
}

async function blob(files: Files, { digest }: Descriptor, given: string): Promise<Buffer> {
  const [algorithm = "", hash = ""] = digest.split(":");
  if (algorithm !== "sha256" || !/^[0-9a-f]{64}$/.test(hash)) {
    throw broken(given, `the digest ${digest} is not one of SHA-256`);
  }
  const content = await files(`blobs/${algorithm}/${hash}`);
  if (!content) throw broken(given, `it lacks the blob ${digest}`);
  if (digestOf(content) !== digest) throw broken(given, `the blob ${digest} has another content`);
  return content;
}

/** The digest of a blob. */
export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function parsed(content: Buffer, given: string): JsonObject {
  try {
    const value: unknown = JSON.parse(content.toString("utf8"));
    if (isJsonObject(value)) return value;
  } catch {
    // The broken file is reported below.
  }
  throw broken(given, "a manifest in it is not a JSON object");
}

function descriptorsIn(object: JsonObject, field: string): Descriptor[] {
  const list = object[field];
  return Array.isArray(list) ? list.filter(isDescriptor) : [];
}

const isDescriptor = (value: unknown): value is Descriptor =>
  isJsonObject(value) &&
  typeof value["digest"] === "string" &&
  typeof value["mediaType"] === "string";

function platformOf({ os, architecture, variant }: JsonObject): Platform {
  return {
    os: String(os),
    architecture: String(architecture),
    ...(typeof variant === "string" && { variant }),
  };
}

function broken(given: string, why: string): TsopError {
  return new TsopError(
    "image-base",
    `${given} is not an OCI layout that can be built on: ${why}.`,
    "Create one from a base image with Node.js: `crane pull --format=oci gcr.io/distroless/nodejs22-debian12:nonroot base`, then pass it with --base base.",
  );
}
