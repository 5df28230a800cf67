/**
 * The schemas of the built-in kinds, from a table that
 * `scripts/make/kubernetes/resources-and-schemas.mjs` makes.
 *
 * Two forms leave this file: the definitions as OpenAPI documents show them (`$ref`s in place), and
 * the resolved tree that the write path walks.
 */
import { InternalError } from "../../errors.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { LineTable } from "../line-table.ts";
import { tableOf } from "../../table.ts";

/** The group, version and kind of something on the wire. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A definition as OpenAPI v3 shows it: references stand as `allOf: [{ $ref }]` or `$ref`. */
export interface Definition extends Omit<
  Schema,
  "properties" | "additionalProperties" | "items" | "allOf"
> {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition;
  readonly items?: Definition;
  readonly allOf?: readonly Definition[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

export const REFERENCE_PREFIX = "#/components/schemas/";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const OPENAPI_EXTENSIONS: ReadonlySet<string> = new Set([
  "x-kubernetes-group-version-kind",
  "x-kubernetes-unions",
]);

/** Schemas of types that OpenAPI describes too loosely to work with. */
const SPECIAL = tableOf<Schema>({
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    format: "int-or-string",
    "x-kubernetes-int-or-string": true,
  },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {
    format: "quantity",
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": {
    type: "object",
    "x-kubernetes-map-type": "atomic",
    "x-kubernetes-preserve-unknown-fields": true,
  },
  [`${META}FieldsV1`]: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  [`${META}MicroTime`]: { type: "string", format: "micro-time" },
});

const KINDS_FIELD = '"x-kubernetes-group-version-kind":';

/** Reads the table and resolves its references, each once. */
class BuiltInDefinitions {
  readonly table = new LineTable<Definition>(new URL("./definitions.data.json", import.meta.url));
  #names: ReadonlyMap<string, string> | undefined;
  readonly #resolved = new Map<string, Schema>();
  readonly #references = new Map<string, readonly string[]>();

  nameOf({ group, version, kind }: GroupVersionKind): string | undefined {
    this.#names ??= new Map(
      [...this.table.texts].flatMap(([name, text]) =>
        kindsIn(text).map((gvk) => [`${gvk.group}/${gvk.version}/${gvk.kind}`, name]),
      ),
    );
    return this.#names.get(`${group}/${version}/${kind}`);
  }

  references(name: string): readonly string[] {
    let found = this.#references.get(name);
    if (!found) this.#references.set(name, (found = referencesIn(this.table.get(name) ?? {})));
    return found;
  }

  resolve(name: string): Schema {
    const known = this.#resolved.get(name);
    if (known) return known;
    const pending: (() => void)[] = [];
    const node = this.#resolveName(name, pending);
    // Copies of referenced nodes wait until those are filled, since definitions may contain
    // themselves.
    for (const fill of pending) fill();
    return node;
  }

  #resolveName(name: string, pending: (() => void)[]): Schema {
    const known = this.#resolved.get(name);
    if (known) return known;
    const definition = this.table.get(name);
    if (!definition) throw new InternalError(`There is no definition ${name}.`);
    const node: Schema = { ...SPECIAL.get(name) };
    this.#resolved.set(name, node);
    if (!SPECIAL.has(name)) {
      Object.assign(node, this.#resolveNode(definition, pending));
      if (Object.keys(node).length === 0) node["x-kubernetes-preserve-unknown-fields"] = true;
    }
    return node;
  }

  #resolveNode(definition: Definition, pending: (() => void)[]): Schema {
    const { $ref, allOf, properties, items, additionalProperties, ...rest } = definition;
    const own: Schema = Object.fromEntries(
      Object.entries(rest).filter(
        ([key, value]) =>
          !OPENAPI_EXTENSIONS.has(key) && !(key === "default" && isEmptyObject(value)),
      ),
    );
    const reference = $ref ?? allOf?.[0]?.$ref;
    if (reference !== undefined) {
      const target = this.#resolveName(reference.slice(REFERENCE_PREFIX.length), pending);
      if (Object.keys(own).length === 0) return target;
      const copy: Schema = {};
      pending.push(() => Object.assign(copy, target, own));
      return copy;
    }
    if (properties) {
      own.properties = Object.fromEntries(
        Object.entries(properties).map(([key, node]) => [key, this.#resolveNode(node, pending)]),
      );
    }
    if (items) own.items = this.#resolveNode(items, pending);
    if (additionalProperties) {
      own.additionalProperties = this.#resolveNode(additionalProperties, pending);
    }
    return own;
  }
}

/** The kinds of a definition, without parsing the rest of it. */
function kindsIn(text: string): readonly GroupVersionKind[] {
  const begin = text.indexOf(KINDS_FIELD) + KINDS_FIELD.length;
  if (begin < KINDS_FIELD.length) return [];
  return JSON.parse(text.slice(begin, text.indexOf("]", begin) + 1)) as GroupVersionKind[];
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const builtIn = new BuiltInDefinitions();

/** The definition of that name (`io.k8s.api.apps.v1.Deployment`), without texts. */
export function findDefinition(name: string): Definition | undefined {
  return builtIn.table.get(name);
}

/** The names of the definitions to which a document or a definition refers, each once. */
export function referencesIn(node: object): readonly string[] {
  const found = JSON.stringify(node).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return [...new Set([...found].map(([, name = ""]) => name))];
}

/** The names of the definitions to which the built-in one refers; empty for an unknown name. */
export function referencesOf(name: string): readonly string[] {
  return builtIn.references(name);
}

/**
 * The name of a kind's definition, including lists and options; `undefined` for a kind that is not
 * built in.
 */
export function findDefinitionName(gvk: GroupVersionKind): string | undefined {
  return builtIn.nameOf(gvk);
}

/**
 * The resolved schema of a built-in kind: resources, and bodies of subresources (`autoscaling/v1
 * Scale`, `policy/v1 Eviction`). It must not be modified, and may contain itself.
 *
 * Beyond what OpenAPI says: quantities have the format `quantity`, MicroTime `micro-time`,
 * free-form values have `x-kubernetes-preserve-unknown-fields`, and empty-object defaults are left
 * out. The remaining scalar defaults serve the keys of list maps; objects are defaulted by
 * strategies.
 *
 * @returns `undefined` when the kind is not built in
 */
export function findBuiltInSchema(gvk: GroupVersionKind): Schema | undefined {
  const name = builtIn.nameOf(gvk);
  return name === undefined ? undefined : builtIn.resolve(name);
}

/** The resolved schema of the metadata of every object. */
export function objectMetaSchema(): Schema {
  return builtIn.resolve(`${META}ObjectMeta`);
}
