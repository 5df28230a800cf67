/**
 * The objects that the kustomizations among the examined files render: those, and not the files one
 * by one, are what a cluster gets.
 */
import { dirname, join, posix, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { TsopError } from "../../errors.ts";
import { renderWithFiles, type RenderedObject } from "../kustomize/render.ts";
import { present } from "../../present.ts";
import { readIfThere, type Plan } from "../project/plan.ts";
import { manifestsIn } from "./read-manifests.ts";
import type { Found, Manifest } from "./rule.ts";
import { textsAt, valueAt } from "./values.ts";

/**
 * Codes of errors that are no mistake of the file's author: this renderer does not know a field, or
 * the resource lies elsewhere.
 */
const NOT_KNOWN_HERE = new Set(["kustomize-field", "kustomize-remote"]);

/** The result of rendering the kustomizations of a folder. */
export interface Renderings {
  /** The objects of all that are listed by no other one. */
  readonly manifests: readonly Manifest[];
  /** The files whose objects are among them. */
  readonly files: ReadonlySet<string>;
  /** Kustomizations that no tool renders. */
  readonly broken: readonly Found[];
  /** Kustomizations that this tool does not render, with the reason. */
  readonly notRendered: readonly { readonly file: string; readonly why: string }[];
}

/**
 * Renders every kustomization that no other one lists.
 *
 * @param root - what the files are relative to
 * @param kustomizations - the files themselves, read
 * @param plan - generated files that are not written yet
 */
export async function renderAll(
  root: string,
  kustomizations: readonly Manifest[],
  plan?: Plan,
): Promise<Renderings> {
  const manifests: Manifest[] = [];
  const files = new Set<string>();
  const broken: Found[] = [];
  const notRendered: { file: string; why: string }[] = [];
  const origins = new Origins(root);
  for (const kustomization of outermost(kustomizations)) {
    const { file } = kustomization;
    try {
      for (const rendered of await renderWithFiles(join(root, dirname(file)), present({ plan }))) {
        manifests.push(await origins.manifestOf(rendered, kustomization));
        if (rendered.file !== undefined) files.add(pathFrom(root, rendered.file));
      }
    } catch (error) {
      if (!(error instanceof TsopError)) throw error;
      const why = error.message.replaceAll(join(root, "/"), "");
      if (NOT_KNOWN_HERE.has(error.code)) notRendered.push({ file, why });
      else broken.push({ ...placed(why, file), fix: error.fix });
    }
  }
  return { manifests, files, broken, notRendered };
}

/** The place with which a message begins, and the rest of it. */
function placed(why: string, file: string): Pick<Found, "place" | "message"> {
  const [, place, message] = /^(\S+:\d+:\d+):? (.+)$/s.exec(why) ?? [];
  return { place: place ?? `${file}:1:1`, message: message ?? why };
}

const pathFrom = (root: string, path: string): string => relative(root, path).replaceAll("\\", "/");

/**
 * The kustomizations that are rendered for themselves: a component is part of others, and a base is
 * rendered with its overlays.
 */
function outermost(kustomizations: readonly Manifest[]): Manifest[] {
  const listed = new Set(
    kustomizations.flatMap(({ file, value }) =>
      ["resources", "bases", "components"].flatMap((key) =>
        textsAt(value, [key]).map((name) => posix.join(posix.dirname(file), name, ".")),
      ),
    ),
  );
  return kustomizations.filter(
    ({ kind, file }) => kind !== "Component" && !listed.has(posix.join(posix.dirname(file), ".")),
  );
}

/** The objects as they stand in files, read once. */
class Origins {
  readonly #root: string;
  readonly #read = new Map<string, readonly Manifest[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The rendered object, with the place of each value: where it stands, or the kustomization that it comes from. */
  async manifestOf(rendered: RenderedObject, kustomization: Manifest): Promise<Manifest> {
    const { object } = rendered;
    const origin = await this.#find(rendered);
    return {
      file: origin?.file ?? kustomization.file,
      apiVersion: object.apiVersion,
      kind: object.kind,
      namespace: object.metadata.namespace ?? "",
      name: object.metadata.name,
      value: { ...object },
      at: (path) =>
        origin !== undefined &&
        isDeepStrictEqual(valueAt(origin.value, path), valueAt(object, path))
          ? origin.at(path)
          : `${kustomization.file}:1:1`,
    };
  }

  async #find({ file, name, object }: RenderedObject): Promise<Manifest | undefined> {
    if (file === undefined) return undefined;
    const path = pathFrom(this.#root, file);
    const found = this.#read.get(path) ?? (await this.#readFile(path));
    const isIt = (one: Manifest): boolean => one.name === name && one.kind === object.kind;
    return found.find(isIt) ?? (found.length === 1 ? found[0] : undefined);
  }

  async #readFile(path: string): Promise<readonly Manifest[]> {
    const found = manifestsIn((await readIfThere(join(this.#root, path))) ?? "", path);
    const manifests = Array.isArray(found) ? found : [];
    this.#read.set(path, manifests);
    return manifests;
  }
}

/** The signs of the hash that kustomize puts behind the name of what it generates. */
const HASHED = /-[bcdfghkm2456789t]{10}$/;

/** Whether kustomize gave it a name that changes with what it holds. */
export const hasHashedName = ({ name }: Manifest): boolean => HASHED.test(name);
