/** Random projects, and their source text. */
import type { Call } from "./call-routes/call-route.ts";
import { CALL_ROUTES } from "./call-routes/call-routes.ts";
import { CLIENT_ROUTES, METHOD_ROUTES } from "./client-routes.ts";
import { FEATURES } from "./features.ts";
import { HOSTS } from "./hosts.ts";
import { KIND_ROUTES } from "./kind-routes.ts";
import { kindNamed, OWN_SOURCES } from "./kinds.ts";
import { operationNamed } from "./operations.ts";
import { Parts } from "./parts.ts";
import { WIRINGS } from "./wirings.ts";

/** One use of a client, by the names of all that was chosen. */
export interface Deed {
  readonly operation: string;
  readonly kind: string;
  /** The other kind of routes that lead to two. */
  readonly other: string;
  readonly kindRoute: string;
  readonly clientRoute: string;
  readonly methodRoute: string;
  readonly callRoute: string;
}

/** A feature of a project, and the kind for which it has it. */
export interface Chosen {
  readonly feature: string;
  readonly kind: string;
}

/** A project, by its choices. */
export interface Project {
  readonly host: string;
  readonly wiring: string;
  readonly features: readonly Chosen[];
  readonly deeds: readonly Deed[];
}

/** An entry of a table of routes. @throws when there is none of that name */
export function named<T extends { readonly name: string }>(table: readonly T[], name: string): T {
  const found = table.find((one) => one.name === name);
  if (!found) throw new Error(`there is no route ${name}`);
  return found;
}

const HEAD = `import { addFinalizer, controllerFor, createManager, createOrPatch, createOrUpdate, createOrUpdateOwned, deleteOwned, dependent, findOwned, jsonPatch, keyOf, mergePatch, metadataOf, removeFinalizer, setControllerReference, StatusError, timerSource, type Client, type KubeObject, type Manager, type ManagerOptions, type ObjectKey, type Reader, type Reconciler, type Request, type Token } from "tsop";
import { ConfigMap, Deployment, Job, Lease, LimitRange, Namespace, Node, Pod, Endpoints, Role, Secret, Service, ServiceAccount, StatefulSet } from "tsop/k8s";
import * as k8s from "tsop/k8s";
import { Page } from "./page.ts";
import * as pages from "./page.ts";
import { Widget } from "./widget.ts";
import * as widgets from "./widget.ts";
import * as kinds from "./kinds.ts";
import * as helpers from "./helpers.ts";
let stamps = 0;
const stamp = (): string => String(Math.min(stamps++, 9));
`;

/** Text whose lines are indented by their braces. */
function pretty(text: string): string {
  let depth = 0;
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines
    .map((line) => {
      const closes = /^[)\]}]/.test(line) ? 1 : 0;
      const shown = "  ".repeat(Math.max(depth - closes, 0)) + line;
      for (const [sign] of line.matchAll(/[{}]/g)) depth += sign === "{" ? 1 : -1;
      return shown;
    })
    .join("\n");
}

/** Statements that run a deed and go on when the server refuses it. */
function statements(parts: Parts, deed: Deed): string {
  const operation = operationNamed(deed.operation);
  const kindRoute = named(KIND_ROUTES, deed.kindRoute);
  parts.before = [];
  parts.needsPage ||= operation.needsPage === true;
  const client = named(CLIENT_ROUTES, deed.clientRoute).write(parts);
  const methodRoute = named(METHOD_ROUTES, deed.methodRoute);
  const kind = kindRoute.write(parts, kindNamed(deed.kind), kindNamed(deed.other));
  const code = (on: string, what: string): string => {
    const outside = parts.before;
    parts.before = [];
    const text = operation.code({
      client: on,
      kind: what,
      method: (name) => methodRoute.write(parts, on, name),
    });
    const all = [...parts.before, text].join("\n");
    parts.before = outside;
    return all;
  };
  const kindType = operation.needsType ? `Token<${deed.kind}>` : "Token";
  const call: Call = { operation, client, kind, kindType, code };
  const text = named(CALL_ROUTES, deed.callRoute).write(parts, call);
  const all = [...parts.before, text].join("\n");
  return `try {\n${all}\n} catch (error) {\n  if (!(error instanceof StatusError)) throw error;\n}`;
}

/** The number of the first feature in names: deeds count from 1. */
const FIRST_FEATURE = 11;

/** The files of a project, by path. */
export function write({ host, wiring, features, deeds }: Project): Map<string, string> {
  const parts = new Parts();
  for (const [index, { feature, kind }] of features.entries()) {
    parts.id = FIRST_FEATURE + index;
    named(FEATURES, feature).write(parts, kindNamed(kind));
  }
  const body = deeds.map((deed, index) => {
    parts.id = index + 1;
    return statements(parts, deed);
  });
  const page = parts.needsPage
    ? ["const page = await client.find(Page, key);\nif (!page) return;"]
    : [];
  const { controller, reconciler } = named(HOSTS, host).write({
    reconcile: [...page, ...parts.reconcile, ...body].join("\n"),
    members: parts.members.join("\n"),
    cleanup: parts.cleanup,
  });
  const isBefore = (statement: string): boolean =>
    /^const (?:more|leaderElection) /.test(statement);
  const { main, helpers = "" } = named(WIRINGS, wiring).write({
    reconciler,
    chain: parts.chain.join(""),
    options: parts.options.map((option) => `, ${option}`).join(""),
    before: parts.wiring.filter(isBefore),
    wiring: parts.wiring.filter((statement) => !isBefore(statement)).join("\n"),
    afterwards: parts.afterwards.join("\n"),
  });
  const file = (...texts: string[]): string => `${HEAD}${pretty(texts.join("\n"))}\n`;
  return new Map([
    ...OWN_SOURCES,
    ["src/kinds.ts", file(...parts.files.kinds)],
    ["src/helpers.ts", file(...parts.files.helpers, helpers)],
    ["src/controller.ts", file(...parts.files.controller, controller)],
    ["src/main.ts", file('import * as controller from "./controller.ts";', main)],
  ]);
}

/** The choices that say the least. */
export const PLAIN: Omit<Project, "deeds"> = {
  host: HOSTS[0]?.name ?? "",
  wiring: WIRINGS[0]?.name ?? "",
  features: [],
};

/** The files of a project, without their common beginning. */
export function describeProject(project: Project): string {
  return [...write(project)]
    .filter(([path]) => !OWN_SOURCES.has(path))
    .map(([path, text]) => [path, text.replace(HEAD, "").trim()] as const)
    .filter(([, text]) => text !== "")
    .map(([path, text]) => `  // ${path}\n${text.replaceAll(/^(?=.)/gm, "  ")}`)
    .join("\n");
}
