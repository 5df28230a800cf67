/** Compares the role that the generator makes with the rights that the code needs when it runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Diagnostic } from "../../../src/errors.ts";
import { generateEdited } from "../../../src/generator/generate.ts";
import { groupOf, kindNamed, POOL } from "./kinds.ts";
import { type Right, rightForOwner, rightOf, rightsFor } from "./needed.ts";
import type { Observed } from "./observed.ts";
import { PLAIN, type Project, write } from "./project.ts";
import { Ground, type Rule, rulesIn } from "./run.ts";

/** A right that the role lacks. */
interface Missing {
  readonly right: Right;
  /** The lines of the project from which it was asked for, the innermost first. */
  readonly lines: readonly string[];
  /** Whether a warning is at one of these lines, or elsewhere and names the kind. */
  readonly announced: "at the line" | "elsewhere" | "no";
}

/** The judgement of a project. */
export interface Verdict {
  readonly missing: readonly Missing[];
  /** Rights that no run needed, without those that tsop always adds. */
  readonly unused: readonly Right[];
  readonly granted: readonly Right[];
  /** The warnings about rights. */
  readonly warnings: readonly Diagnostic[];
  /** Mistakes of the project itself: it is no reconciler then. */
  readonly mistakes: readonly string[];
}

const TSCONFIG = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    experimentalDecorators: true,
    noEmit: true,
  },
};
const PROJECT = { domain: "example.com", projectName: "judge", namespaced: false };
const ROLE = "config/rbac/role.yaml";
/** More refusals than this in a row are a mistake of the judge. */
const RUNS_MAX = 12;

/** Rights that tsop adds for itself: events, and reading one object where all can be listed. */
function isBaseline(right: Right, granted: ReadonlySet<Right>): boolean {
  if (/^\w+ events(?:\.|$)/.test(right)) return true;
  if (right.startsWith("list ")) return granted.has(right.replace("list ", "watch "));
  return right.startsWith("get ") && granted.has(right.replace("get ", "list "));
}

/** Judges projects. */
export class RightsJudge implements AsyncDisposable {
  readonly #ground: Ground;
  readonly #folder: string;

  private constructor(ground: Ground, folder: string) {
    this.#ground = ground;
    this.#folder = folder;
  }

  static async start(): Promise<RightsJudge> {
    const empty = write({ ...PLAIN, deeds: [] });
    const folder = mkdtempSync(join(tmpdir(), "tsop-rights-judge-"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
    // The generator looks for files on the disk, and then reads those that it is given.
    mkdirSync(join(folder, "src"));
    for (const path of empty.keys()) writeFileSync(join(folder, path), "");
    const { files, diagnostics } = await generateEdited(folder, empty, PROJECT);
    const crds = [...files].filter(([path]) => path.startsWith("config/crd/bases/"));
    if (crds.length === 0) throw new Error(JSON.stringify(diagnostics));
    return new RightsJudge(await Ground.start(crds.map(([, text]) => text)), folder);
  }

  /** Judges a project. */
  async judge(project: Project): Promise<Verdict> {
    try {
      return await this.#judge(write(project));
    } catch (error) {
      // Code that does not compile, or does not start.
      const mistakes = [inspect(error)];
      return { missing: [], unused: [], granted: [], warnings: [], mistakes };
    }
  }

  /** The rights that the generator grants a project. */
  async grantedTo(project: Project): Promise<readonly Right[]> {
    const { files } = await generateEdited(this.#folder, write(project), PROJECT);
    return rulesIn(files.get(ROLE) ?? "").flatMap(rightsOf);
  }

  async #judge(files: ReadonlyMap<string, string>): Promise<Verdict> {
    const { files: made, diagnostics } = await generateEdited(this.#folder, files, PROJECT);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const rules = rulesIn(made.get(ROLE) ?? "");
    const granted = new Set(rules.flatMap(rightsOf));
    const mistakes = errors.map(textOf);
    /** The lines that asked for each right. */
    const needed = new Map<Right, readonly string[]>();
    const added = new Map<Right, Rule>();
    for (let run = 0; run < RUNS_MAX; run++) {
      const all = [...rules, ...added.values()];
      const { requests, errors: thrown, loaded } = await this.#ground.run(files, all);
      const refused = requests.filter(({ status }) => status === 403);
      for (const request of requests) {
        const lines = loaded.linesOf(request.stack);
        const rights = [rightsFor, refusedRights, ownersIn, heldIn].flatMap((of) => of(request));
        for (const right of rights) if (!needed.has(right)) needed.set(right, lines);
      }
      if (refused.length === 0) {
        mistakes.push(...thrown);
        break;
      }
      if (run === RUNS_MAX - 1) mistakes.push(`still refused: ${refused[0]?.message ?? ""}`);
      for (const right of refused.flatMap(refusedRights)) added.set(right, ruleFor(right));
    }
    const missing = [...needed]
      .filter(([right]) => !granted.has(right))
      .map(([right, lines]) => ({ right, lines, announced: announced(right, lines, diagnostics) }));
    const unused = [...granted].filter(
      (right) => !needed.has(right) && !isBaseline(right, granted),
    );
    const warnings = diagnostics.filter(({ code }) => code.startsWith("right-"));
    return { missing, unused, granted: [...granted], warnings, mistakes };
  }

  [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    return this.#ground.stop();
  }
}

/** A message of the generator in a line. */
export const textOf = ({ file, line, code, message }: Diagnostic): string =>
  `${file}:${line} ${code}: ${message}`;

const rightsOf = ({ apiGroups = [], resources = [], verbs }: Rule): Right[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => rightOf(verb, group, resource))),
  );

/** A refusal is of the first right that lacks; the server's message has it. */
function refusedRights(request: Observed): readonly Right[] {
  if (request.status !== 403) return [];
  const match = /cannot (\w+) resource \\"([^"\\]+)\\" in API group \\"([^"\\]*)\\"/.exec(
    request.message,
  );
  if (!match) {
    const rules = rightsInEscalation(request.message);
    return rules.length > 0 ? rules : rightsFor(request);
  }
  const [, verb = "", resource = "", group = ""] = match;
  return [rightOf(verb, group, resource)];
}

/** The rights that who writes a role lacks: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
function rightsInEscalation(message: string): readonly Right[] {
  const found = message
    .replaceAll('\\"', '"')
    .matchAll(/\{APIGroups:\[([^\]]*)\], Resources:\[([^\]]*)\], Verbs:\[([^\]]*)\]\}/g);
  const words = (text = ""): string[] =>
    [...text.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
  return [...found].flatMap(([, groups, resources, verbs]) =>
    rightsOf({ apiGroups: words(groups), resources: words(resources), verbs: words(verbs) }),
  );
}

/** The rights that a written role grants: who writes it must hold them. */
function heldIn({ path, body, method, status }: Observed): readonly Right[] {
  if (method === "GET" || status >= 400 || !/\/(?:cluster)?roles\//.test(path)) return [];
  const { rules } = JSON.parse(body) as { readonly rules?: readonly Rule[] | null };
  return (rules ?? []).flatMap(rightsOf);
}

function ruleFor(right: Right): Rule {
  const [verb = "", full = ""] = right.split(" ");
  const [name = "", subresource] = full.split("/");
  const [plural = "", ...group] = name.split(".");
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return { apiGroups: [group.join(".")], resources: [resource], verbs: [verb] };
}

/** Whether a warning is at a line that asked for the right, or elsewhere and names the kind or the verb. */
function announced(
  right: Right,
  lines: readonly string[],
  diagnostics: readonly Diagnostic[],
): Missing["announced"] {
  const [, full = ""] = right.split(" ");
  const [name = ""] = full.split("/");
  const kind = POOL.find(
    (one) => [one.plural, groupOf(one)].filter((part) => part !== "").join(".") === name,
  );
  const warnings = diagnostics.filter(({ code }) => code.startsWith("right-"));
  if (warnings.some(({ file, line }) => lines.includes(`${file}:${line}`))) return "at the line";
  const [verb = ""] = right.split(" ");
  const namesKind = new RegExp(`\\b${kind?.name ?? "nothing at all"}\\b`);
  // Where a kind that is not known enters: the message says what is done with it.
  const namesVerb = new RegExp(`permission to [\\w ]*\\b${verb}\\b.* the kind of `);
  const isTold = ({ message }: Diagnostic): boolean =>
    namesKind.test(message) || namesVerb.test(message);
  return warnings.some(isTold) ? "elsewhere" : "no";
}

/** The rights to the finalizers of the owners whose deletion a written object blocks. */
function ownersIn({ method, body, status }: Observed): Right[] {
  if (
    !["POST", "PUT", "PATCH"].includes(method) ||
    status >= 400 ||
    !body.includes("blockOwnerDeletion")
  )
    return [];
  const { metadata } = JSON.parse(body) as {
    metadata?: { ownerReferences?: { kind: string; blockOwnerDeletion?: boolean }[] };
  };
  return (metadata?.ownerReferences ?? [])
    .filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    .map(({ kind }) => {
      const owner = kindNamed(kind);
      return rightForOwner({ group: groupOf(owner), plural: owner.plural });
    });
}
