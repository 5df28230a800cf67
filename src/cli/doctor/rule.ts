/** The rules of `tsop doctor`: a rule is a mistake that it knows, and how it finds it. */
import type { Generated } from "../../generator/generate.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { Project } from "../project/project-file.ts";
import type { ValuePath } from "../project/yaml/yaml-documents.ts";

/** A mapping in a YAML or JSON file: an object of Kubernetes, or a part of one. */
export interface Manifest {
  /** The path relative to the examined folder, with `/`. */
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly value: JsonObject;
  /** The position of the value at the path, or of the nearest around it: `file:line:column`. */
  readonly at: (path: ValuePath) => string;
}

/** A source file in any language. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** A version of a kind whose definition is among the manifests. */
export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  /** The schema; absent where the definition has none. */
  readonly schema?: Schema;
  readonly definition: Manifest;
}

export interface Examined {
  readonly root: string;
  /** Objects, as they stand in files or as kustomizations render them; kustomizations and their patches are not among them. */
  readonly manifests: readonly Manifest[];
  /** Mappings that are not objects, such as a part of one that was copied. */
  readonly fragments: readonly Manifest[];
  readonly sources: readonly Source[];
  /** The patches of kustomizations, as text. */
  readonly patches: string;
  /** The kinds whose definitions are among the manifests. */
  readonly customKinds: readonly CustomKind[];
  readonly brokenKustomizations: readonly Found[];
  /** Whether a kustomization lists the file and is not rendered: names, images and certificates may come from there. */
  readonly isKustomized: (file: string) => boolean;
  /** Whether it is in a project of tsop or kubebuilder, whose `deploy` names the image of the scaffold. */
  readonly isScaffolded: boolean;
  /** The project; absent where the folder is not one of tsop. */
  readonly project?: Project;
  /** The output of `tsop manifests` for the project; made once. */
  readonly generated?: () => Promise<Generated>;
}

export interface Found {
  /** The position: `file:line:column`. */
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

/** A mistake, and how it is found. */
export interface Rule {
  /** The name in words with dashes, such as `selector-mismatch`. */
  readonly name: string;
  /** The mistake, and what comes of it: a sentence or two. */
  readonly about: string;
  /** A manifest or lines of code with the mistake, for the documentation. */
  readonly example: string;
  find(examined: Examined): Iterable<Found> | Promise<Iterable<Found>>;
}
