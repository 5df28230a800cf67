/** `vars`: texts `$(NAME)` that stand for fields of other objects. */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import { readPath } from "./field-path.ts";
import { type FieldSlot, type FieldSpec, fieldSlot, itemSlot, visitField } from "./field-specs.ts";
import type { Variable } from "./kustomization.ts";
import {
  isOutsideNamespaces,
  isSameId,
  isSameKindAndName,
  type Manifest,
  type ResourceId,
  scalarText,
} from "./resource.ts";

/** Marks the objects that the variables are read from. @throws TsopError `kustomize-var` */
export function bindVariables(
  manifests: readonly Manifest[],
  variables: readonly Variable[],
): void {
  for (const { name, objref, at } of variables) {
    const id: ResourceId = {
      group: objref.group ?? "",
      version: objref.version ?? "",
      ...(objref.apiVersion === undefined ? {} : parseApiVersion(objref.apiVersion)),
      kind: objref.kind ?? "",
      name: objref.name ?? "",
      namespace: objref.namespace ?? "",
    };
    const isIt = id.namespace !== "" || isOutsideNamespaces(id) ? isSameId : isSameKindAndName;
    const found = manifests.filter(({ ids }) => ids.some((own) => isIt(own, id)));
    if (found.length > 1) throw broken(at, `${found.length} objects fit the variable ${name}`);
    found[0]?.variables.push(name);
  }
}

/** Joins two lists. @throws TsopError `kustomize-var` for a name that is there twice */
export function joinVariables(known: Map<string, Variable>, further: Iterable<Variable>): void {
  for (const variable of further) {
    const { name, at } = variable;
    if (known.has(name)) throw broken(at, `the variable ${name} is there twice`);
    known.set(name, variable);
  }
}

/** Writes the values of the variables wherever their names stand. */
export function resolveVariables(
  manifests: readonly Manifest[],
  variables: ReadonlyMap<string, Variable>,
  specs: readonly FieldSpec[],
): void {
  if (variables.size === 0) return;
  const values = new Map(
    [...variables].map(([name, variable]) => [name, valueOf(variable, manifests)]),
  );
  const replace = (slot: FieldSlot): void => {
    if (typeof slot.value === "string") slot.set(expanded(slot.value, values));
  };
  for (const manifest of manifests) {
    for (const spec of specs) {
      visitField(manifest, spec, (slot) => {
        const { value } = slot;
        if (Array.isArray(value)) {
          for (const index of value.keys()) replace(itemSlot(value, index));
        } else if (isJsonObject(value)) {
          for (const key of Object.keys(value)) replace(fieldSlot(value, key));
        } else {
          replace(slot);
        }
      });
    }
  }
}

function valueOf({ name, fieldref, at }: Variable, manifests: readonly Manifest[]): unknown {
  const source = manifests.find(({ variables }) => variables.includes(name));
  if (!source) throw broken(at, `there is no object for the variable ${name}`);
  const written = fieldref?.fieldPath ?? fieldref?.fieldpath ?? "";
  const path = written === "" ? "metadata.name" : written;
  const steps = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
  const value = readPath(source.object, steps);
  if (value === undefined) throw broken(at, `its object has no field ${path}`);
  return value;
}

/** A value of its own type when the text is nothing but the variable. */
function expanded(text: string, values: ReadonlyMap<string, unknown>): unknown {
  const known = (name: string): unknown => {
    const value = values.get(name);
    return value === undefined || typeof value === "object" ? undefined : value;
  };
  const [whole, only = ""] = /^\$\(([^)]*)\)$/.exec(text) ?? [];
  if (whole !== undefined) return known(only) ?? text;
  // Two dollar signs stand for one, as in Kubernetes' own environment variables.
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = known(name);
    return value === undefined ? found : scalarText(value);
  });
}

function broken(at: string, what: string): TsopError {
  return new TsopError(
    "kustomize-var",
    `${at}: ${what}.`,
    "Correct `objref` and `fieldref`, or write it as a replacement.",
  );
}
