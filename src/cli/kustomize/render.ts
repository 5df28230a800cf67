/**
 * Renders a kustomization as `kubectl kustomize` does. Anything unknown here is refused.
 *
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/
 */
import { readdir } from "node:fs/promises";
import { dirname, posix } from "node:path";
import { TsopError } from "../../errors.ts";
import { didYouMean } from "../../kube/text/nearest-name.ts";
import type { ManifestObject } from "../../kube/object.ts";
import type { Plan } from "../project/plan.ts";
import { readYaml } from "../project/yaml/yaml-documents.ts";
import { DEFAULT_CONFIGURATION } from "./builtin-field-specs.ts";
import { readCrdConfiguration } from "./crd-configuration.ts";
import type { Placed } from "./fields.ts";
import { absorbGenerated, addHashes, generate } from "./generators.ts";
import {
  replacementFile,
  type ImageOverride,
  type Kustomization,
  type Replacement,
  type ReplacementEntry,
  type Variable,
} from "./kustomization.ts";
import { readKustomization, resolveIn } from "./kustomization-file.ts";
import { readWrittenManifests } from "./manifests.ts";
import { fixNameReferences } from "./name-references.ts";
import { sortManifests } from "./order.ts";
import { applyPatch, parsePatch, type PatchContent } from "./patches.ts";
import { applyReplacement } from "./replacements.ts";
import { describeManifest, isSameId, Manifest, textsOf } from "./resource.ts";
import { KustomizationRoot } from "./roots.ts";
import { SourceFiles } from "./source-files.ts";
import { addLabels, addPairs, setImage, setNames, setNamespace, setReplicas } from "./transform.ts";
import {
  EMPTY_CONFIGURATION,
  mergeConfigurations,
  readConfiguration,
  type TransformerConfiguration,
} from "./transformer-configuration.ts";
import { bindVariables, joinVariables, resolveVariables } from "./variables.ts";
import { present } from "../../present.ts";

/** Additions of a command to the kustomization that are not written into the user's file. */
export interface RenderOptions {
  readonly images?: readonly ImageOverride[];
  /** Files that are not written yet, and that count as if they were. */
  readonly plan?: Plan;
  /** The reader of the files, in place of the disk and the plan. */
  readonly files?: SourceFiles;
}

/** The state of one kustomization so far, with that of the folders below it. */
interface Gathered {
  manifests: Manifest[];
  configuration: TransformerConfiguration;
  readonly variables: Map<string, Variable>;
}

/** An object of a kustomization, and where it began. */
export interface RenderedObject {
  readonly object: ManifestObject;
  /** The path of its file; absent where a generator made it. */
  readonly file?: string;
  /** The object's name in that file. */
  readonly name: string;
}

/** The objects of a kustomization, in the order in which they are applied. */
export async function renderKustomization(
  folder: string,
  options: RenderOptions = {},
): Promise<ManifestObject[]> {
  return (await renderWithFiles(folder, options)).map(({ object }) => object);
}

/** The objects of a kustomization, with the file that each was read from. */
export async function renderWithFiles(
  folder: string,
  options: RenderOptions = {},
): Promise<RenderedObject[]> {
  const { files = new SourceFiles(options.plan) } = options;
  const root = await KustomizationRoot.open(folder);
  const kustomization = await readKustomization(root.folder, files);
  const gathered = await new Folder(root, kustomization, files).gather(nothing());
  const { manifests, configuration, variables } = gathered;
  for (const image of options.images ?? []) setImage(manifests, image, configuration.images);
  addHashes(manifests);
  fixNameReferences(manifests, configuration.nameReference);
  resolveVariables(manifests, variables, configuration.varReference);
  const applied = manifests.filter(({ object }) => {
    const local = textsOf(object.metadata.annotations)["config.kubernetes.io/local-config"];
    return local === undefined || local === "false";
  });
  return sortManifests(applied, kustomization.sortOptions).map((manifest) => ({
    object: withTextAnnotations(manifest),
    name: manifest.formerNames[0]?.name ?? manifest.name,
    ...present({ file: manifest.file }),
  }));
}

/** The object with its annotations as kustomize writes them: as texts, and without empty ones. */
function withTextAnnotations({ object }: Manifest): ManifestObject {
  const { annotations, ...metadata } = object.metadata;
  const texts = textsOf(annotations);
  object.metadata = Object.keys(texts).length > 0 ? { ...metadata, annotations: texts } : metadata;
  return object;
}

function nothing(): Gathered {
  return { manifests: [], configuration: EMPTY_CONFIGURATION, variables: new Map() };
}

class Folder {
  readonly #root: KustomizationRoot;
  readonly #kustomization: Kustomization;
  readonly #files: SourceFiles;

  constructor(root: KustomizationRoot, kustomization: Kustomization, files: SourceFiles) {
    this.#root = root;
    this.#kustomization = kustomization;
    this.#files = files;
  }

  /**
   * Adds the resources of the kustomization and transforms all that are there: for a component,
   * those of its user too.
   */
  async gather(gathered: Gathered): Promise<Gathered> {
    await this.#addResources(gathered);
    await this.#configure(gathered);
    await this.#generate(gathered);
    for (const entry of this.#kustomization.components) {
      await (await this.#below(entry, "Component")).gather(gathered);
    }
    await this.#transform(gathered);
    bindVariables(gathered.manifests, this.#kustomization.vars);
    joinVariables(gathered.variables, this.#kustomization.vars);
    return gathered;
  }

  async #addResources(gathered: Gathered): Promise<void> {
    for (const entry of this.#kustomization.resources) {
      const path = resolveIn(this.#root.folder, entry);
      if (!(await this.#files.isFolder(path))) {
        const file = await this.#file(entry);
        for (const { object, blankFields } of await readWrittenManifests(file, this.#files)) {
          addOnce(gathered.manifests, new Manifest(object, { file, blankFields }), path);
        }
        continue;
      }
      const base = await (await this.#below(entry, "Kustomization")).gather(nothing());
      for (const manifest of base.manifests) addOnce(gathered.manifests, manifest, path);
      gathered.configuration = mergeConfigurations(gathered.configuration, base.configuration);
      joinVariables(gathered.variables, base.variables.values());
    }
  }

  /** The path of a file that the kustomization names. */
  async #file(entry: string): Promise<string> {
    await this.#requireThere(entry);
    return this.#root.file(entry, this.#kustomization.placeOf(entry));
  }

  /** @throws TsopError `kustomize-file` where the file or folder is not there */
  async #requireThere(entry: string): Promise<void> {
    const path = resolveIn(this.#root.folder, entry);
    if (await this.#files.isThere(path)) return;
    const names = await readdir(dirname(path)).catch(() => []);
    const at = this.#kustomization.placeOf(entry);
    const near = names.map((name) => posix.join(posix.dirname(entry), name));
    throw new TsopError(
      "kustomize-file",
      `${at}: there is no \`${entry}\`.`,
      didYouMean(
        entry,
        near,
        "Run `tsop manifests` when it is a generated file, else restore it or remove the line.",
      ),
    );
  }

  async #below(entry: string, kind: Kustomization["kind"]): Promise<Folder> {
    await this.#requireThere(entry);
    const root = await this.#root.enter(entry);
    const kustomization = await readKustomization(root.folder, this.#files);
    if (kustomization.kind === kind) return new Folder(root, kustomization, this.#files);
    const isComponent = kustomization.kind === "Component";
    throw new TsopError(
      "not-a-component",
      `${root.folder} is listed under \`${isComponent ? "resources" : "components"}\`, but its kind is ${kustomization.kind}.`,
      isComponent
        ? "List it under `components`."
        : "List it under `resources`, or make it `kind: Component`.",
    );
  }

  async #configure(gathered: Gathered): Promise<void> {
    let own = DEFAULT_CONFIGURATION;
    let further = EMPTY_CONFIGURATION;
    for (const entry of this.#kustomization.configurations) {
      const read = await readConfiguration(await this.#file(entry), this.#files);
      further = mergeConfigurations(further, read);
    }
    own = mergeConfigurations(own, further);
    gathered.configuration = mergeConfigurations(gathered.configuration, own);
    for (const entry of this.#kustomization.crds) {
      const read = await readCrdConfiguration(await this.#file(entry), this.#files);
      gathered.configuration = mergeConfigurations(gathered.configuration, read);
    }
  }

  async #generate({ manifests }: Gathered): Promise<void> {
    const { configMapGenerator, secretGenerator, generatorOptions } = this.#kustomization;
    const settings = {
      files: this.#files,
      options: generatorOptions,
      fileOf: (entry: string) => this.#file(entry),
    };
    for (const generator of configMapGenerator) {
      absorbGenerated(manifests, await generate("ConfigMap", generator, settings), generator.at);
    }
    for (const generator of secretGenerator) {
      absorbGenerated(manifests, await generate("Secret", generator, settings), generator.at);
    }
  }

  async #transform(gathered: Gathered): Promise<void> {
    const { configuration } = gathered;
    const kustomization = this.#kustomization;
    for (const patch of await this.#readPatches()) {
      gathered.manifests = applyPatch(gathered.manifests, patch);
    }
    const { manifests } = gathered;
    const { namespace, namePrefix = "", nameSuffix = "" } = kustomization;
    if (namespace !== undefined) setNamespace(manifests, namespace, configuration.namespace);
    if (namePrefix !== "") setNames(manifests, { prefix: namePrefix }, configuration.namePrefix);
    if (nameSuffix !== "") setNames(manifests, { suffix: nameSuffix }, configuration.nameSuffix);
    for (const labels of kustomization.labels) addLabels(manifests, labels, configuration);
    const { commonLabels = {}, commonAnnotations = {} } = kustomization;
    addPairs(manifests, commonLabels, configuration.commonLabels);
    addPairs(manifests, commonAnnotations, configuration.commonAnnotations);
    for (const patch of kustomization.patchesJson6902) {
      const content = await this.#readPatch(patch, false);
      gathered.manifests = applyPatch(gathered.manifests, content);
    }
    for (const replicas of kustomization.replicas) {
      setReplicas(gathered.manifests, replicas, configuration.replicas);
    }
    for (const image of kustomization.images) {
      setImage(gathered.manifests, image, configuration.images);
    }
    for (const entry of kustomization.replacements) {
      for (const replacement of await this.#readReplacements(entry)) {
        applyReplacement(gathered.manifests, replacement, this.#root.limits);
      }
    }
  }

  async #readPatches(): Promise<PatchContent[]> {
    const { patches, patchesStrategicMerge, file } = this.#kustomization;
    const contents: PatchContent[] = [];
    for (const entry of patchesStrategicMerge) {
      // An entry is the patch itself, or the path of one.
      const isPatch = /\n|^\s*\{/.test(entry);
      const where = isPatch ? file : await this.#file(entry);
      const documents = parsePatch(where, isPatch ? entry : await this.#files.read(where));
      if (documents.length === 0) throw emptyPatch(where);
      contents.push({ where, documents, remembersName: false });
    }
    for (const patch of patches) contents.push(await this.#readPatch(patch, true));
    return contents;
  }

  async #readPatch(
    { path = "", patch = "", target, options, at }: Kustomization["patches"][number],
    remembersName: boolean,
  ): Promise<PatchContent> {
    const where = path === "" ? at : await this.#file(path);
    const text = path === "" ? patch.trim() : await this.#files.read(where);
    return {
      where,
      documents: parsePatch(where, text),
      remembersName,
      ...present({ target, options }),
    };
  }

  async #readReplacements(entry: ReplacementEntry): Promise<Placed<Replacement>[]> {
    const { path = "", at, ...own } = entry;
    if (path === "") return [{ targets: [], ...own, at }];
    const file = await this.#file(path);
    const [document] = readYaml(await this.#files.read(file), file);
    if (!document) return [];
    const { value } = document;
    const places = Array.isArray(value) ? value.map((_item, index) => [index]) : [[]];
    return places.map((place) => ({
      targets: [],
      ...replacementFile.read({
        value: place[0] === undefined ? value : (value as unknown[])[place[0]],
        path: place,
        document,
      }),
      at: document.placeOf(place),
    }));
  }
}

function emptyPatch(where: string): TsopError {
  return new TsopError(
    "kustomize-patch",
    `The patch ${where} cannot be applied: it is empty.`,
    "Take it out of `patchesStrategicMerge`, or write it.",
  );
}

function addOnce(manifests: Manifest[], manifest: Manifest, path: string): void {
  if (manifests.some((other) => isSameId(other.id, manifest.id))) {
    throw new TsopError(
      "kustomize-duplicate",
      `${path}: ${describeManifest(manifest)} is there twice.`,
      "Remove one of them from the kustomization.",
    );
  }
  manifests.push(manifest);
}
