/** Generic types that people write, declared in a case when it uses them. */
import { tree } from "../tree.ts";
import type { Kind, Maker } from "./maker.ts";

/** A generic type of one parameter. */
export interface Helper {
  readonly name: string;
  readonly text: string;
  /** What its argument has to be; anything when absent. */
  readonly of?: Kind;
  readonly makes: Kind;
  /** Whether the fields of the argument are those of the result. */
  readonly keeps?: boolean;
}

/** All helpers. */
export const HELPERS: readonly Helper[] = [
  {
    name: "DeepPartial",
    text: "type DeepPartial<T> = T extends (infer U)[] ? DeepPartial<U>[] : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "DeepReadonly",
    text: "type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Simplify",
    text: "type Simplify<T> = { [K in keyof T]: T[K] } & {};",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Same",
    text: "type Same<T> = { [K in keyof T]: T[K] };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Nullable",
    text: "type Nullable<T> = { [K in keyof T]: T[K] | null };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Mutable",
    text: "type Mutable<T> = { -readonly [K in keyof T]: T[K] };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Prefixed",
    text: "type Prefixed<T> = { [K in keyof T as `my${Capitalize<string & K>}`]: T[K] };",
    of: "object",
    makes: "object",
  },
  {
    name: "Texts",
    text: "type Texts<T> = { [K in keyof T]: string };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Flags",
    text: "type Flags<T> = { [K in keyof T]?: boolean };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "OnlyTexts",
    text: "type OnlyTexts<T> = { [K in keyof T as T[K] extends string | undefined ? K : never]: T[K] };",
    of: "object",
    makes: "object",
  },
  {
    name: "NoLists",
    text: "type NoLists<T> = { [K in keyof T as T[K] extends readonly unknown[] ? never : K]: T[K] };",
    of: "object",
    makes: "object",
  },
  {
    name: "Numbers",
    text: "type Numbers<T> = Pick<T, { [K in keyof T]-?: T[K] extends number | undefined ? K : never }[keyof T]>;",
    of: "object",
    makes: "object",
  },
  {
    name: "RequiredKeys",
    text: "type RequiredKeys<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? never : K }[keyof T];",
    of: "object",
    makes: "text",
  },
  { name: "Box", text: "interface Box<T> { value: T; note?: string }", makes: "object" },
  { name: "Listed", text: "class Listed<T> { items!: T[]; next?: string }", makes: "object" },
  {
    name: "Wrapped",
    text: `type Wrapped<T> = T extends string ? { text: T } : { other: T };`,
    makes: "union",
  },
  { name: "Item", text: "type Item<T> = T extends readonly (infer U)[] ? U : T;", makes: "other" },
  { name: "Maybe", text: "type Maybe<T> = T | null;", makes: "other" },
  { name: "OneOrMany", text: "type OneOrMany<T> = T[];", makes: "list" },
  { name: "ById", text: "type ById<T> = Record<string, T>;", makes: "record" },
  {
    name: "Entry",
    text: "type Entry<T> = { [K in keyof T]: { key: K; value: T[K] } }[keyof T];",
    of: "object",
    makes: "union",
  },
  {
    name: "KeysOf",
    text: "type KeysOf<T> = Extract<keyof T, string>;",
    of: "object",
    makes: "text",
  },
  {
    name: "DeepRequired",
    text: "type DeepRequired<T> = T extends (infer U)[] ? DeepRequired<U>[] : T extends object ? { [K in keyof T]-?: DeepRequired<T[K]> } : T;",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Setters",
    text: "type Setters<T> = { [K in keyof T as K extends string ? `set-${K}` : never]?: T[K] };",
    of: "object",
    makes: "object",
  },
  {
    name: "Optional",
    text: 'type Optional<T> = Omit<T, "name" | "a"> & Partial<Pick<T, Extract<keyof T, "name" | "a">>>;',
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Strict",
    text: "type Strict<T> = { [K in keyof T]-?: NonNullable<T[K]> };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Lists",
    text: "type Lists<T> = { [K in keyof T]: T[K][] };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Spread",
    text: 'type Spread<T> = Omit<T, "size"> & { size: boolean };',
    of: "object",
    makes: "object",
  },
  {
    name: "EachOmit",
    text: 'type EachOmit<T> = T extends unknown ? Omit<T, "name"> : never;',
    of: "object",
    makes: "object",
  },
  {
    name: "Scalars",
    text: "type Scalars<T> = { [K in keyof T as NonNullable<T[K]> extends object ? never : K]: T[K] };",
    of: "object",
    makes: "object",
  },
  {
    name: "Settings",
    text: 'type Settings<T> = { [K in keyof T]: T[K] extends string ? "text" : T[K] extends number ? "number" : "other" };',
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Tail",
    text: "type Tail<T> = T extends readonly [unknown, ...infer R] ? R : [];",
    makes: "other",
  },
  {
    name: "Head",
    text: "type Head<T> = T extends `${infer H}-${string}` ? H : never;",
    of: "text",
    makes: "text",
  },
  {
    name: "Kebab",
    text: "type Kebab<T> = T extends string ? `${Lowercase<T>}-x` : never;",
    of: "text",
    makes: "text",
  },
  {
    name: "Patch",
    text: "type Patch<T> = { [K in keyof T]?: T[K] | null };",
    of: "object",
    makes: "object",
    keeps: true,
  },
  {
    name: "Result",
    text: "type Result<T> = { ok: true; value: T } | { ok: false; error: string };",
    makes: "union",
  },
  {
    name: "Versioned",
    text: "type Versioned<T> = { version: 1; data: T } | { version: 2; data: T; extra?: string };",
    makes: "union",
  },
  {
    name: "Either",
    text: "type Either<T> = { left: T; right?: never } | { right: T; left?: never };",
    makes: "union",
  },
  { name: "ValueOf", text: "type ValueOf<T> = T[keyof T];", of: "object", makes: "other" },
];

/** The name of a helper, which is declared if it is not yet. */
export function use(maker: Maker, { name, text, makes }: Helper): string {
  if (!maker.known.some((known) => known.name === name)) {
    const is = text.startsWith("class")
      ? "class"
      : text.startsWith("interface")
        ? "interface"
        : "alias";
    maker.declare({ name, is, kind: makes, generic: true }, tree("declaration", `export ${text}`));
  }
  return name;
}
