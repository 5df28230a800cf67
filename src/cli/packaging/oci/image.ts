/**
 * An operator's image, written without a container engine: one layer of files on a base that has Node.
 *
 * @see https://github.com/opencontainers/image-spec
 */
import { gzipSync } from "node:zlib";
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { type BaseImage, type Descriptor, digestOf } from "./layout.ts";
import { writeTar } from "./tar.ts";

export interface ImageSource {
  readonly bases: readonly BaseImage[];
  /** The files of the image's folder `/operator`; one of them is `main.mjs`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The image's name, such as `registry.example.com/web-operator:0.1.0`. */
  readonly name: string;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The time of creation, in RFC 3339: given, so that the same content is the same image. */
  readonly created: string;
}

const FOLDER = "operator";
const OCI = "application/vnd.oci.image";

/** A layout of the image, as an archive that registries' tools and `docker load` take. */
export function imageArchive(source: ImageSource): Buffer {
  const files = new Map<string, Buffer>();
  const put = (content: Buffer): Pick<Descriptor, "digest" | "size"> => {
    const digest = digestOf(content);
    files.set(`blobs/${digest.replace(":", "/")}`, content);
    return { digest, size: content.length };
  };
  const inFolder = [...source.files].map(
    ([path, content]) => [`${FOLDER}/${path}`, content] as const,
  );
  const tar = writeTar(new Map(inFolder));
  const layer = { ...put(gzipped(tar)), diffId: digestOf(tar) };
  const images = source.bases.map((base) => {
    for (const content of base.layers) put(content);
    const config = { ...base.manifest.config, ...put(json(configOf(base, layer.diffId, source))) };
    const layers = [
      ...base.manifest.layers,
      { mediaType: layerType(base), digest: layer.digest, size: layer.size },
    ];
    const manifest = without(base.manifest, "annotations");
    return {
      descriptor: {
        mediaType: base.mediaType,
        ...put(json({ ...manifest, config, layers })),
        platform: base.platform,
      },
      config,
      layers,
    };
  });
  const [first] = images;
  const annotations = {
    "io.containerd.image.name": source.name,
    "org.opencontainers.image.ref.name": source.tag,
  };
  const descriptors = images.map(({ descriptor }) => descriptor);
  const mediaType = `${OCI}.index.v1+json`;
  const top =
    first && images.length === 1
      ? first.descriptor
      : { mediaType, ...put(json({ schemaVersion: 2, mediaType, manifests: descriptors })) };
  files.set("oci-layout", json({ imageLayoutVersion: "1.0.0" }));
  files.set(
    "index.json",
    json({ schemaVersion: 2, mediaType, manifests: [{ ...top, annotations }] }),
  );
  if (first && images.length === 1)
    files.set("manifest.json", json([dockerManifest(first, source)]));
  return writeTar(files);
}

/** The manifest that `docker load` reads; it has no place for several platforms. */
function dockerManifest(
  image: { readonly config: Descriptor; readonly layers: readonly Descriptor[] },
  { name }: ImageSource,
): object {
  const path = ({ digest }: Descriptor): string => `blobs/${digest.replace(":", "/")}`;
  return { Config: path(image.config), RepoTags: [name], Layers: image.layers.map(path) };
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** The layer's media type in the family of the base: OCI's, or Docker's. */
function layerType({ mediaType }: BaseImage): string {
  return mediaType.startsWith("application/vnd.docker.")
    ? "application/vnd.docker.image.rootfs.diff.tar.gzip"
    : `${OCI}.layer.v1.tar+gzip`;
}

function gzipped(content: Buffer): Buffer {
  const compressed = gzipSync(content, { level: 9 });
  compressed[9] = 0xff; // The operating system that compressed: unknown, on all of them.
  return compressed;
}

function configOf(base: BaseImage, diffId: string, { labels, created }: ImageSource): JsonObject {
  const { config: settings, rootfs, history } = base.config;
  const before = isJsonObject(settings) ? settings : {};
  const { diff_ids: layers } = isJsonObject(rootfs) ? rootfs : {};
  const own = isJsonObject(before["Labels"]) ? before["Labels"] : {};
  return {
    ...base.config,
    created,
    config: {
      ...without(before, "Cmd"),
      User: "65532:65532",
      WorkingDir: `/${FOLDER}`,
      Entrypoint: [nodeOf(before), "--enable-source-maps", `/${FOLDER}/main.mjs`],
      Env: withHeapLimit(itemsOf(before["Env"])),
      Labels: { ...own, ...labels },
    },
    rootfs: { type: "layers", diff_ids: [...itemsOf(layers), diffId] },
    history: [
      ...itemsOf(history),
      { created, created_by: "tsop image", comment: "the bundled operator" },
    ],
  };
}

/** The heap's part of the container's memory limit, as in the scaffolded Dockerfile. */
const HEAP_LIMIT = "--max-old-space-size-percentage=75";

/**
 * The environment with the limit of the heap if the base says that its Node.js knows the option, and sets no options of
 * its own. An older Node.js refuses to start with it.
 */
function withHeapLimit(env: readonly unknown[]): unknown[] {
  const valueOf = (name: string): string | undefined =>
    env
      .filter((one) => typeof one === "string")
      .find((one) => one.startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const version = /^v?(\d+)\.(\d+)\./.exec(valueOf("NODE_VERSION") ?? "");
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  const isKnown = (major === 22 && minor >= 20) || (major === 24 && minor >= 6) || major > 24;
  if (!isKnown || valueOf("NODE_OPTIONS") !== undefined) return [...env];
  return [...env, `NODE_OPTIONS=${HEAP_LIMIT}`];
}

const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The object without a field that holds for the base alone. */
const without = (object: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));

/** The Node of the base: the one that it starts, or the one in its PATH. */
function nodeOf({ Entrypoint: entrypoint }: JsonObject): string {
  const [program] = Array.isArray(entrypoint) ? (entrypoint as unknown[]) : [];
  return typeof program === "string" && /(^|\/)node$/.test(program) ? program : "node";
}
