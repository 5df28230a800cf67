/** Other ways to write a type, which have to make the same schema. */
import type { Case } from "./case.ts";
import { tree, type } from "./tree.ts";

/** A way to write a type. */
export interface Wrapper {
  readonly title: string;
  /** Whether it is one only for a single object type. */
  readonly objects?: true;
  /** Whether it is one only for an object type without required fields, or without optional ones. */
  readonly fields?: "all optional" | "all required";
  readonly wrap: (one: Case) => Case;
}

const around =
  (text: string) =>
  (one: Case): Case => ({ ...one, root: type(text, one.root) });

/** The type under a name. */
const named =
  (declaration: string, use = "Wrapped0") =>
  (one: Case): Case => ({
    ...one,
    declarations: [
      ...one.declarations,
      {
        name: "Wrapped0",
        file: 0,
        tree: tree("declaration", `export ${declaration}`, one.root),
      },
    ],
    root: type(use, one.root),
  });

/** A generic type that is applied to the type. */
const generic = (declaration: string): ((one: Case) => Case) => named(declaration, "Wrapped0<$0>");

/** The type under a name, which an interface extends. */
const extended = (one: Case): Case =>
  named("interface Wrapped0 extends Wrapped1 {}")({
    ...one,
    declarations: [
      ...one.declarations,
      {
        name: "Wrapped1",
        file: 0,
        tree: tree("declaration", "export type Wrapped1 = $0;", one.root),
      },
    ],
  });

/** All ways. */
export const WRAPPERS: readonly Wrapper[] = [
  { title: "an alias", wrap: named("type Wrapped0 = $0;") },
  { title: "a generic alias", wrap: generic("type Wrapped0<T> = T;") },
  { title: "Awaited", wrap: around("Awaited<$0>") },
  { title: "an indexed access", wrap: around(`{ it: $0 }["it"]`) },
  { title: "an element of a tuple", wrap: around("[$0][0]") },
  { title: "an inferred type", wrap: around("[$0] extends [infer U] ? U : never") },
  { title: "Pick of all", objects: true, wrap: around("Pick<$0, keyof ($0)>") },
  { title: "Omit of none", objects: true, wrap: around("Omit<$0, never>") },
  { title: "a mapped type", objects: true, wrap: around("{ [K in keyof ($0)]: ($0)[K] }") },
  {
    title: "a remapped type",
    objects: true,
    wrap: around("{ [K in keyof ($0) as K]: ($0)[K] }"),
  },
  { title: "Readonly", objects: true, wrap: around("Readonly<$0>") },
  { title: "an intersection with {}", objects: true, wrap: around("($0) & {}") },
  { title: "NonNullable", objects: true, wrap: around("NonNullable<$0>") },
  { title: "Extract", objects: true, wrap: around("Extract<$0, object>") },
  {
    title: "a generic mapped type",
    objects: true,
    wrap: generic("type Wrapped0<T> = { [K in keyof T]: T[K] };"),
  },
  {
    title: "an interface that extends it",
    objects: true,
    wrap: extended,
  },
  { title: "Partial", fields: "all optional", objects: true, wrap: around("Partial<$0>") },
  {
    title: "Partial of Required",
    fields: "all optional",
    objects: true,
    wrap: around("Partial<Required<$0>>"),
  },
  { title: "Required", fields: "all required", objects: true, wrap: around("Required<$0>") },
  {
    title: "files for each declaration",
    wrap: (one) => ({
      ...one,
      declarations: one.declarations.map((declared, index) => ({ ...declared, file: index % 4 })),
    }),
  },
];
