/** The uses of kinds that were found, and those that stay unclear. */
import { ts } from "../load.ts";
import type { UnclearModel, UseModel, UsesModel } from "../model.ts";
import type { Module } from "../read/code/module.ts";
import type { Reader } from "../read/code/reader.ts";
import { type TokenModel, tokenOf } from "../read/marks/token.ts";
import { lastName, type Origin, plain } from "./paths.ts";

/** The action of a call on a kind. */
export interface Deed {
  readonly suffix: string;
  readonly verbs: readonly string[];
  readonly names?: readonly string[];
  readonly watched?: readonly string[];
  readonly watches?: boolean;
  readonly unlessGranted?: UseModel["unlessGranted"];
}

/** The kind of a use: its metadata alone is watched apart from the whole. */
interface FoundUse extends UseModel {
  readonly watched?: readonly string[];
  readonly partial: boolean;
}

const nameOf = ({ plural, group }: TokenModel): string => `${plural}.${group}`;

/** Gathers the uses of kinds in the calls of a project. */
export class FoundUses {
  readonly #reader: Reader;
  readonly #uses: FoundUse[] = [];
  readonly #unclear = new Map<string, UnclearModel>();
  readonly #watched = new Set<string>();
  readonly #partlyWatched = new Set<string>();
  readonly #escaped = new Set<string>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The result, when everything has been read: whether a kind is watched may be known last. */
  result(): Pick<UsesModel, "uses" | "unclear" | "escaped"> {
    const uses = this.#uses.map(({ watched, partial, ...use }) => {
      const name = `${use.resource}.${use.group ?? ""}`;
      const isWatched = this.#watched.has(name) || (partial && this.#partlyWatched.has(name));
      return watched && isWatched ? { ...use, verbs: watched } : use;
    });
    return { uses, unclear: [...this.#unclear.values()], escaped: this.#escaped };
  }

  isWatched(kind: TokenModel): boolean {
    return this.#watched.has(nameOf(kind)) || this.#partlyWatched.has(nameOf(kind));
  }

  /**
   * A call does something with a kind.
   *
   * @param origin - where the kind is named; absent where no argument names it
   */
  use(call: ts.Node, kind: TokenModel, deed: Deed, shown: string, origin?: Origin<unknown>): void {
    const { suffix, verbs, names, watched, watches, unlessGranted } = deed;
    const partial = kind.partial === true;
    if (watches) (partial ? this.#partlyWatched : this.#watched).add(nameOf(kind));
    if (verbs.length === 0) return;
    const node = origin?.via ?? call;
    const named = origin?.via ? lastName(origin.via.expression) : shown;
    const argument = origin && isShort(origin.node) ? origin.node.getText() : "";
    this.#uses.push({
      group: kind.group,
      resource: kind.plural + suffix,
      verbs,
      shown: `${named}(${argument})`,
      token: origin ? this.#tokenText(origin.node, kind) : "",
      at: this.at(node),
      partial,
      ...(names ? { names } : {}),
      ...(watched ? { watched } : {}),
      ...(unlessGranted ? { unlessGranted } : {}),
    });
  }

  /** A request of a path that is no resource. */
  usePath(call: ts.Node, path: string, verbs: readonly string[]): void {
    const at = this.at(call);
    const shown = `raw(${JSON.stringify(path)})`;
    this.#uses.push({
      group: undefined,
      resource: path,
      verbs,
      shown,
      token: "",
      at,
      partial: false,
    });
  }

  /** A kind goes where it is not known what becomes of it. */
  escape(kind: TokenModel, node: ts.Expression): void {
    this.#escaped.add(nameOf(kind));
    const { group, plural } = kind;
    const token = this.#tokenText(node, kind);
    this.#note({
      kind: { group, plural, token },
      suffix: "",
      verbs: [],
      shown: kind.kind ?? plural,
      at: this.at(node),
    });
  }

  /** A kind is handed to code that does nothing with it in the cluster, but is not read. */
  mention(kind: TokenModel): void {
    this.#escaped.add(nameOf(kind));
  }

  /** A call of `tsop` with a kind that is not known. */
  doubt(
    node: ts.Node,
    { suffix, verbs }: Pick<Deed, "suffix" | "verbs">,
    shown: string,
    because?: string,
  ): void {
    if (verbs.length === 0 && because === undefined) return;
    this.#note({
      suffix,
      verbs,
      shown,
      at: this.at(node),
      ...(because === undefined ? {} : { because }),
    });
  }

  at(node: ts.Node): UseModel["at"] {
    return this.#reader.modules.at(this.moduleOf(node), node);
  }

  moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }

  #note(unclear: UnclearModel): void {
    const { at, shown, suffix, verbs, because = "" } = unclear;
    const key = [at.file, at.line, at.column, shown, suffix, because, ...verbs].join(" ");
    this.#unclear.set(key, unclear);
  }

  /** An expression, where it can be written again as the token of a marker; empty where it cannot. */
  #tokenText(origin: ts.Expression, { group, plural }: TokenModel): string {
    let node = plain(origin);
    while (ts.isCallExpression(node) && lastName(node) === "metadataOf" && node.arguments[0]) {
      node = plain(node.arguments[0]);
    }
    const root = ts.isPropertyAccessExpression(node) ? node.expression : node;
    const module = this.moduleOf(node);
    const isOfFile =
      ts.isIdentifier(root) &&
      (module.imports.has(root.text) || module.declarations.has(root.text));
    const named = isOfFile ? tokenOf(this.#reader, module, node) : undefined;
    return named?.group === group && named.plural === plural ? node.getText() : "";
  }
}

const isShort = (node: ts.Node): boolean => /^[\w$.()]{1,60}$/.test(node.getText());
