/** The uses of kinds that were found, and those that stay unclear. */
import { ts } from "../load.ts";
import type { UnclearModel, UseModel, UsesModel } from "../model.ts";
import type { Module } from "../read/code/module.ts";
import type { Reader } from "../read/code/reader.ts";
import { type TokenModel, tokenOf } from "../read/marks/token.ts";
import { plain } from "./bindings.ts";
import { isLocal, lastName } from "./methods.ts";

/** A call of a function or of a constructor. */
export type Call = ts.CallExpression | ts.NewExpression;

/** The action of a call on a kind. */
export interface Deed {
  readonly suffix: string;
  readonly verbs: readonly string[];
  readonly watched?: readonly string[];
  readonly watches?: boolean;
  /** Whether the call is known to be one of `tsop`, not only one of that name. */
  readonly isOurs?: boolean;
  /** Whether the kind is handed to code that cannot be read. */
  readonly escapes?: boolean;
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
  readonly #unclear: UnclearModel[] = [];
  readonly #watched = new Set<string>();
  readonly #partlyWatched = new Set<string>();
  readonly #escaped = new Set<string>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The result, when everything has been read: whether a kind is watched may be known last. */
  result(): Pick<UsesModel, "uses" | "unclear" | "escaped"> {
    const uses = this.#uses.map(({ watched, partial, ...use }) => {
      const name = `${use.resource}.${use.group}`;
      const isWatched = this.#watched.has(name) || (partial && this.#partlyWatched.has(name));
      return watched && isWatched ? { ...use, verbs: watched } : use;
    });
    return { uses, unclear: this.#unclear, escaped: this.#escaped };
  }

  /** A call does something with a kind. */
  use(call: Call, kind: TokenModel, deed: Deed, shown: string, argument?: ts.Expression): void {
    const { suffix, verbs, watched, watches, escapes, unlessGranted } = deed;
    const partial = kind.partial === true;
    if (watches) (partial ? this.#partlyWatched : this.#watched).add(nameOf(kind));
    if (escapes) this.escape(kind, argument ?? call);
    if (verbs.length === 0) return;
    const at = this.#reader.modules.at(this.#moduleOf(call), call);
    this.#uses.push({
      group: kind.group,
      resource: kind.plural + suffix,
      verbs,
      shown: `${shown}(${argument && isShort(argument) ? argument.getText() : ""})`,
      token: argument ? this.#tokenText(argument, kind) : "",
      at,
      partial,
      ...(watched ? { watched } : {}),
      ...(unlessGranted ? { unlessGranted } : {}),
    });
  }

  /** A kind goes where it is not known what becomes of it. */
  escape(kind: TokenModel, node: ts.Node): void {
    this.#escaped.add(nameOf(kind));
    const at = this.#reader.modules.at(this.#moduleOf(node), node);
    const { group, plural } = kind;
    const token = ts.isExpression(node) ? this.#tokenText(node, kind) : "";
    const shown = kind.kind ?? plural;
    this.#unclear.push({ kind: { group, plural, token }, suffix: "", verbs: [], shown, at });
  }

  /** A call of `tsop` with a kind that is not known. */
  doubt(call: Call, { suffix, verbs }: Deed, shown: string): void {
    const at = this.#reader.modules.at(this.#moduleOf(call), call);
    if (verbs.length > 0) this.#unclear.push({ suffix, verbs, shown: `${shown}()`, at });
  }

  /** An argument, where it can be written again as the token of a marker; empty where it cannot. */
  #tokenText(argument: ts.Expression, { group, plural }: TokenModel): string {
    let node = plain(argument);
    while (ts.isCallExpression(node) && lastName(node) === "metadataOf" && node.arguments[0]) {
      node = plain(node.arguments[0]);
    }
    const root = ts.isPropertyAccessExpression(node) ? node.expression : node;
    if (isLocal(root)) return "";
    const named = tokenOf(this.#reader, this.#moduleOf(node), node);
    return named?.group === group && named.plural === plural ? node.getText() : "";
  }

  #moduleOf(node: ts.Node): Module {
    return this.#reader.modules.get(node.getSourceFile().fileName);
  }
}

const isShort = (node: ts.Expression): boolean => /^[\w$.()]{1,60}$/.test(node.getText());
