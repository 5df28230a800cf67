/**
 * A YAML text of the user, edited in the lines that an edit is about: no other byte changes, and what one edit adds, its
 * opposite takes away again. Parsing and writing the whole document would lay it out anew.
 */
import { isDeepStrictEqual } from "node:util";
import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  stringify,
  visit,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { InternalError } from "../../../errors.ts";
import type { ValuePath, YamlDocument } from "./yaml-documents.ts";

/** The layout of a text's collections. */
interface Layout {
  readonly indent: number;
  readonly indentSeq: boolean;
}

const USUAL: Layout = { indent: 2, indentSeq: true };

/** The text of a file while it is edited. */
export class YamlText {
  readonly #parse: (text: string) => YamlDocument;
  #text: string;
  #document: YamlDocument;

  /** @param parse - reads the text, and throws for one that is not valid */
  constructor(text: string, parse: (text: string) => YamlDocument) {
    this.#parse = parse;
    this.#text = text;
    this.#document = parse(text);
  }

  /** The text as it is by now. */
  get text(): string {
    return this.#text;
  }

  /** The value at the path; `undefined` where there is none. */
  get(path: ValuePath): unknown {
    let value = this.#document.value;
    for (const key of path) {
      if (typeof value !== "object" || value === null) return undefined;
      value = (value as Record<string | number, unknown>)[key];
    }
    return value;
  }

  /** Adds an item at the end of the list; a list that is not there is made. */
  add(path: ValuePath, item: unknown): void {
    const list = this.#nodeAt(path);
    if (!isSeq(list)) {
      this.#remake(path, [item]);
    } else if (list.flow || list.items.length === 0) {
      this.#addFlow(list, JSON.stringify(item));
    } else {
      const pad = " ".repeat(this.#columnOf(startOf(list)));
      this.#insertLines(this.#endOf(list), listed(this.#written(item), pad));
    }
  }

  /** Puts another item in place of one of the list. */
  replaceAt(path: ValuePath, index: number, item: unknown): void {
    const old = this.#nodeAt([...path, index]);
    const list = this.#nodeAt(path);
    if (!old || !isSeq(list)) throw new InternalError("there is no such item to replace");
    const pad = `\n${" ".repeat(this.#columnOf(startOf(old)))}`;
    const text = list.flow ? JSON.stringify(item) : this.#written(item).join(pad);
    this.#splice(startOf(old), this.#endOf(old), text);
  }

  /**
   * Takes an item out of the list; the list is deleted with its last one, unless brackets of its
   * own hold it.
   */
  removeAt(path: ValuePath, index: number): void {
    const list = this.#nodeAt(path);
    const item = this.#nodeAt([...path, index]);
    if (!isSeq(list) || !item) throw new InternalError("there is no such item to remove");
    const parent = this.#nodeAt(path.slice(0, -1));
    const isLast = list.items.length === 1 && (!list.flow || (isMap(parent) && parent.flow));
    if (isLast) this.remove(path);
    else if (list.flow) this.#removeFlow(list.items.map(itemNode), index, list);
    else this.#removeLines(this.#text.lastIndexOf("-", startOf(item) - 1), this.#endOf(item));
  }

  /**
   * Sets the value of the key at the path; a value that is there already stays as it is written.
   */
  set(path: ValuePath, value: unknown): void {
    const before = this.get(path);
    if (isDeepStrictEqual(before, value)) return;
    if (isRecord(before) && isRecord(value)) {
      for (const key of Object.keys(before)) {
        if (value[key] === undefined) this.remove([...path, key]);
      }
      for (const [key, one] of Object.entries(value)) {
        if (one !== undefined) this.set([...path, key], one);
      }
    } else if (Array.isArray(before) && Array.isArray(value) && before.length > 0) {
      this.#setItems(path, before, value);
    } else {
      this.#remake(path, value);
    }
  }

  /** Takes a key away; the mapping is deleted with its last one, unless it is written in braces. */
  remove(path: ValuePath): void {
    const parentPath = path.slice(0, -1);
    const map = this.#nodeAt(parentPath);
    if (!isMap(map)) return;
    const index = map.items.findIndex((pair) => keyOf(pair) === path.at(-1));
    const pair = map.items[index];
    if (!pair) return;
    if (map.flow) {
      this.#removeFlow(map.items, index, map);
    } else if (map.items.length === 1 && parentPath.length > 0) {
      const last = parentPath.at(-1);
      if (typeof last === "number") this.removeAt(parentPath.slice(0, -1), last);
      else this.remove(parentPath);
    } else {
      const start = startOfPair(pair);
      const next = map.items[index + 1];
      // The first key of an item stands beside its dash.
      if (this.#isFirstOfLine(start)) this.#removeLines(start, this.#endOfPair(pair));
      else this.#splice(start, next ? startOfPair(next) : this.#endOfPair(pair), "");
    }
  }

  #setItems(path: ValuePath, before: readonly unknown[], value: readonly unknown[]): void {
    const shared = Math.min(before.length, value.length);
    for (let index = 0; index < shared; index++) {
      if (!isDeepStrictEqual(before[index], value[index])) {
        this.replaceAt(path, index, value[index]);
      }
    }
    for (let index = before.length - 1; index >= shared; index--) this.removeAt(path, index);
    for (const item of value.slice(shared)) this.add(path, item);
  }

  /** Writes the key anew, or adds it to its mapping. */
  #remake(path: ValuePath, value: unknown): void {
    const key = path.at(-1);
    const map = this.#nodeAt(path.slice(0, -1));
    if (typeof key !== "string") throw new InternalError("only keys of mappings are rewritten");
    if (!isMap(map)) {
      if (path.length > 1) this.#remake(path.slice(0, -1), { [key]: value });
      else this.#change(`${this.#text}${this.#written({ [key]: value }).join("\n")}\n`);
      return;
    }
    const pair = map.items.find((one) => keyOf(one) === key);
    if (map.flow) {
      const text = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
      if (pair) this.#splice(startOfPair(pair), this.#endOfPair(pair), text);
      else this.#addFlow(map, text);
      return;
    }
    const pad = " ".repeat(this.#columnOf(startOf(map)));
    const lines = this.#written({ [key]: value });
    if (pair && isScalar(pair.value) && !isCollectionValue(value)) {
      this.#splice(startOf(pair.value), this.#endOf(pair.value), this.#written(value).join("\n"));
    } else if (pair) {
      this.#splice(startOfPair(pair), this.#endOfPair(pair), lines.join(`\n${pad}`));
    } else {
      const indented = lines.map((line) => pad + line);
      this.#insertLines(this.#endOf(map), indented);
    }
  }

  #addFlow(collection: YAMLMap | YAMLSeq, text: string): void {
    const last = collection.items.at(-1);
    if (last === undefined) {
      const inside = startOf(collection) + 1;
      this.#splice(inside, inside, text);
      return;
    }
    const end = this.#endOf(last);
    const start = isPair(last) ? startOfPair(last) : startOf(itemNode(last));
    const between = this.#isFirstOfLine(start) ? `\n${" ".repeat(this.#columnOf(start))}` : " ";
    this.#splice(end, end, `,${between}${text}`);
  }

  #removeFlow(items: readonly (Node | Pair)[], index: number, whole: YAMLMap | YAMLSeq): void {
    const [item, previous, next] = [items[index], items[index - 1], items[index + 1]];
    if (!item) return;
    const start = (one: Node | Pair): number => (isPair(one) ? startOfPair(one) : startOf(one));
    if (previous) this.#splice(this.#endOf(previous), this.#endOf(item), "");
    else if (next) this.#splice(start(item), start(next), "");
    else {
      const rest = this.#text.slice(this.#endOf(item), this.#endOf(whole));
      const comma = /^\s*,/.exec(rest)?.[0].length ?? 0;
      this.#splice(start(item), this.#endOf(item) + comma, "");
    }
  }

  #nodeAt(path: ValuePath): Node | undefined {
    const tree: Document.Parsed = this.#document.tree;
    const node: unknown = path.length === 0 ? tree.contents : tree.getIn(path, true);
    return isScalar(node) || isCollection(node) ? node : undefined;
  }

  /**
   * The end of a node's last value; a collection's own range goes on over comments and blank lines.
   */
  #endOf(node: unknown): number {
    if (isPair(node)) return this.#endOfPair(node);
    if (isCollection(node) && node.flow !== true) {
      const last: unknown = node.items.at(-1);
      if (last !== undefined) return this.#endOf(last);
    }
    const end = (node as Node).range?.[1] ?? 0;
    const isBlock = isScalar(node) && (node.type?.startsWith("BLOCK") ?? false);
    return isBlock && this.#text[end - 1] === "\n" ? end - 1 : end;
  }

  #endOfPair(pair: Pair): number {
    const key = this.#endOf(pair.key);
    return pair.value === null ? key : Math.max(key, this.#endOf(pair.value));
  }

  #columnOf(offset: number): number {
    return offset - this.#lineStart(offset);
  }

  #isFirstOfLine(offset: number): boolean {
    return this.#text.slice(this.#lineStart(offset), offset).trim() === "";
  }

  #lineStart(offset: number): number {
    return this.#text.lastIndexOf("\n", offset - 1) + 1;
  }

  #lineEnd(offset: number): number {
    const end = this.#text.indexOf("\n", offset);
    return end === -1 ? this.#text.length : end;
  }

  /**
   * Inserts lines after that of the offset. The text ends in a line end, or does not, as before.
   */
  #insertLines(offset: number, lines: readonly string[]): void {
    const end = this.#lineEnd(offset);
    this.#splice(end, end, lines.map((line) => `\n${line}`).join(""));
  }

  #removeLines(from: number, to: number): void {
    const [start, end] = [this.#lineStart(from), this.#lineEnd(to)];
    if (start > 0) this.#splice(start - 1, end, "");
    else this.#splice(0, end + 1, "");
  }

  #splice(from: number, to: number, text: string): void {
    this.#change(this.#text.slice(0, from) + text + this.#text.slice(to));
  }

  #change(text: string): void {
    this.#text = text;
    this.#document = this.#parse(text);
  }

  /** The lines of a value, laid out as the text is. */
  #written(value: unknown): string[] {
    const layout = this.#layout();
    // kubectl reads YAML 1.1, where a bare `on` is a boolean.
    const text = stringify(value, { ...layout, lineWidth: 0, compat: "yaml-1.1" });
    return text.trimEnd().split("\n");
  }

  #layout(): Layout {
    let indent: number | undefined;
    let indentSeq: boolean | undefined;
    visit(this.#document.tree, {
      Pair: (_key, pair) => {
        const { key, value } = pair;
        if (!isCollection(value) || value.flow || value.items.length === 0 || !isScalar(key))
          return;
        const deeper = this.#columnOf(startOf(value)) - this.#columnOf(startOf(key));
        if (isSeq(value)) indentSeq ??= deeper > 0;
        if (deeper > 0) indent ??= deeper;
      },
    });
    return { indent: indent ?? USUAL.indent, indentSeq: indentSeq ?? USUAL.indentSeq };
  }
}

/** The lines of an item in a list at that indentation. */
const listed = (lines: readonly string[], pad: string): string[] =>
  lines.map((line, index) => `${pad}${index === 0 ? "- " : "  "}${line}`);

const startOf = (node: Node): number => node.range?.[0] ?? 0;
const startOfPair = (pair: Pair): number => startOf(pair.key as Node);
const itemNode = (item: unknown): Node => item as Node;

const keyOf = ({ key }: Pair): unknown => (isScalar(key) ? String(key.value) : undefined);

const isCollectionValue = (value: unknown): boolean => typeof value === "object" && value !== null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
