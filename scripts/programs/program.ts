/**
 * The definitions of the programs that `npm run verify`, `npm run measure` and `npm run make` run. Each program is one
 * file in the folder of its kind: the file's name is the program's name, its export `program` the definition.
 */
import type { Tally } from "./tally.ts";

interface Described {
  /** A lowercase fragment for the list. */
  readonly about: string;
}

/** One option on the command line. `list` options can be repeated, and split at commas. */
export type Option = Described &
  (
    | { readonly type: "switch" }
    | { readonly type: "list" }
    | { readonly type: "number"; readonly default?: number }
    | { readonly type: "text"; readonly default?: string; readonly required?: true }
  );

/** Options by name. */
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { readonly type: "switch" }
  ? boolean
  : O extends { readonly type: "list" }
    ? readonly string[]
    : | (O extends { readonly type: "number" } ? number : string)
      | (O extends { readonly default: unknown } | { readonly required: true } ? never : undefined);

/** The arguments of a program that are not options. */
export interface Words extends Described {
  /** In capital letters, as the list shows it. */
  readonly name: string;
  /** The accepted words; any when absent. */
  readonly choices?: readonly string[];
  /** Defaults to 0. */
  readonly least?: number;
  /** Defaults to any number. */
  readonly most?: number;
}

/** The parsed command line of a program. */
export interface Given<O extends Options = Options> {
  readonly values: { readonly [Name in keyof O]: ValueOf<O[Name]> };
  readonly words: readonly string[];
}

/** The requirements of a program besides Node.js and `npm ci`. */
type Need =
  | "a build"
  | "a real API server"
  | "a real control plane"
  | "Chromium"
  | "Go"
  | "helm"
  | "kubectl"
  | "the network"
  | "the shared recordings";

interface Program<O extends Options> {
  /** What the program does, as a sentence without its subject. */
  readonly about: string;
  readonly needs: readonly Need[];
  readonly words?: Words;
  readonly options: O;
}

/** Compares tsop with a judge, and counts in the tally. */
export interface Verification<O extends Options = Options> extends Program<O> {
  readonly kind: "verify";
  /** The compared things, in the plural, for the last line. */
  readonly compares: string;
  run(given: Given<O> & { readonly tally: Tally }): Promise<void>;
}

/** Prints figures. Fails by an error. */
export interface Measure<O extends Options = Options> extends Program<O> {
  readonly kind: "measure";
  run(given: Given<O>): Promise<void>;
}

/** Writes files, and returns their paths in the checkout. */
export interface Maker<O extends Options = Options> extends Program<O> {
  readonly kind: "make";
  run(given: Given<O>): Promise<readonly string[]>;
}

/** Any program. */
export type AnyProgram = Verification | Measure | Maker;

/** Defines a program of `npm run verify`. */
export function defineVerification<const O extends Options>(
  program: Omit<Verification<O>, "kind">,
): Verification {
  return { kind: "verify", ...program };
}

/** Defines a program of `npm run measure`. */
export function defineMeasure<const O extends Options>(program: Omit<Measure<O>, "kind">): Measure {
  return { kind: "measure", ...program };
}

/** Defines a program of `npm run make`. */
export function defineMaker<const O extends Options>(program: Omit<Maker<O>, "kind">): Maker {
  return { kind: "make", ...program };
}

/** The seed of the random choices; the same seed makes the same choices. */
export const SEED = { type: "number", default: 1, about: "seed of the random choices" } as const;
