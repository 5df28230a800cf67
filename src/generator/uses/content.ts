/**
 * The rights that the content of a request needs: who creates a role must hold its rights, who binds one must be allowed
 * to, and who acts as somebody else must be allowed to impersonate them.
 */
import { ts } from "../load.ts";
import type { TokenModel } from "../read/marks/token.ts";
import type { FoundUses } from "./found-uses.ts";
import { EACH, type Path, plain } from "./paths.ts";
import { HOLE, pathText, rawRight } from "./raw.ts";
import type { Survey } from "./survey.ts";
import type { Types } from "./types.ts";
import type { Values } from "./values.ts";

const RBAC = "rbac.authorization.k8s.io";
const isOneOf = (kinds: readonly TokenModel[], group: string, ...plurals: string[]): boolean =>
  kinds.some((kind) => kind.group === group && plurals.includes(kind.plural));

interface ContentPorts {
  readonly types: Types;
  readonly survey: Survey;
  readonly values: Values;
  readonly found: FoundUses;
}

/** Reads what calls send. */
export class Content {
  readonly #types: Types;
  readonly #survey: Survey;
  readonly #values: Values;
  readonly #found: FoundUses;
  /** The bindings of roles whose names are not constant. */
  readonly #bindings: ts.Node[] = [];
  #writesKnownRoles = false;

  constructor({ types, survey, values, found }: ContentPorts) {
    this.#types = types;
    this.#survey = survey;
    this.#values = values;
    this.#found = found;
  }

  /** What can be said only when all roles were seen. */
  finish(): void {
    // Who holds the rights of a role may bind it without further ado.
    if (this.#writesKnownRoles) return;
    for (const node of this.#bindings) {
      this.#found.doubt(node, { suffix: "", verbs: ["bind"] }, "the role of this binding");
    }
  }

  /** The rights in roles and for bindings that a call writes. */
  roles(call: ts.Node, kinds: readonly TokenModel[], body: ts.Expression): void {
    if (isOneOf(kinds, RBAC, "roles", "clusterroles")) this.#rules(call, body);
    if (isOneOf(kinds, RBAC, "rolebindings", "clusterrolebindings")) this.#binding(call, body);
  }

  #rules(call: ts.Node, body: ts.Expression): void {
    const rules = this.#partsOf(body, ["rules", EACH]);
    if (!rules) {
      this.#found.doubt(call, { suffix: "", verbs: [] }, "this role", "its rules are not known");
      return;
    }
    for (const rule of rules) this.#rule(rule);
    this.#writesKnownRoles = true;
  }

  /** The expressions of a part of what is written, also where a function sets it; `undefined` where it is not known. */
  #partsOf(body: ts.Expression, path: Path): readonly ts.Expression[] | undefined {
    const isRecord = (node: ts.Expression, rest: Path): readonly ts.Expression[] | undefined =>
      rest.length === 0 && ts.isObjectLiteralExpression(plain(node)) ? [node] : undefined;
    const [name, ...below] = path;
    const [change] = this.#types.signaturesAt(body);
    const [parameter] = change?.parameters ?? [];
    const written =
      parameter && typeof name === "string"
        ? this.#types
            .along(parameter.name as ts.Node as ts.Expression, [])
            .flatMap(
              (type) => this.#types.checker.getPropertyOfType(type, name)?.declarations ?? [],
            )
            .flatMap((declaration) => this.#survey.writesTo(declaration))
        : [];
    if (change) {
      const all = written.map(({ value, at }) =>
        this.#values.of(value, below.slice(at.length), isRecord),
      );
      return all.some(({ lost }) => lost.length > 0) || all.length === 0
        ? undefined
        : all.flatMap(({ found }) => found.map(({ value }) => value));
    }
    const { found, lost } = this.#values.of(body, path, isRecord);
    return lost.length > 0 && found.length === 0 ? undefined : found.map(({ value }) => value);
  }

  #rule(rule: ts.Expression): void {
    const list = (key: string): readonly string[] | undefined =>
      this.#values.texts(rule, [key, EACH]);
    const [groups, resources, verbs, urls] = [
      "apiGroups",
      "resources",
      "verbs",
      "nonResourceURLs",
    ].map(list);
    if (!groups || !resources || !verbs || !urls) {
      this.#found.doubt(
        rule,
        { suffix: "", verbs: [] },
        "this rule",
        "its groups, resources and verbs are not constant",
      );
      return;
    }
    const names = list("resourceNames") ?? [];
    for (const url of urls) this.#found.usePath(rule, url, verbs);
    for (const group of groups) {
      for (const plural of resources) {
        const deed = { suffix: "", verbs, ...(names.length > 0 ? { names } : {}) };
        this.#found.use(rule, { group, plural }, deed, "a rule of a role");
      }
    }
  }

  #binding(call: ts.Node, body: ts.Expression): void {
    const refs = this.#partsOf(body, ["roleRef"]) ?? [];
    for (const ref of refs) {
      const names = this.#values.texts(ref, ["name"]);
      const kinds = this.#values.texts(ref, ["kind"]) ?? ["Role", "ClusterRole"];
      if (!names) this.#bindings.push(ref);
      for (const kind of names ? kinds : []) {
        const plural = kind === "ClusterRole" ? "clusterroles" : "roles";
        this.#found.use(
          ref,
          { group: RBAC, plural },
          { suffix: "", verbs: ["bind"], names: names ?? [] },
          "roleRef",
        );
      }
    }
    if (refs.length === 0) this.#bindings.push(call);
  }

  /** Who approves or signs a certificate needs the right for its signer. */
  signers(call: ts.Node, kinds: readonly TokenModel[], suffix: string): void {
    if (!isOneOf(kinds, "certificates.k8s.io", "certificatesigningrequests")) return;
    const verb = suffix === "/approval" ? "approve" : suffix === "/status" ? "sign" : undefined;
    if (verb === undefined) return;
    const because = `the API server also requires "${verb}" on the signer (group certificates.k8s.io, resource signers)`;
    this.#found.doubt(call, { suffix: "", verbs: [verb] }, "the signer", because);
  }

  /** A request of any path. */
  raw(call: ts.Node, request: ts.Expression | undefined): void {
    if (!request) return;
    const paths = this.#values.of(request, ["path"], (node, rest) => {
      const at = plain(node);
      const isText =
        ts.isTemplateExpression(at) || ts.isBinaryExpression(at) || ts.isStringLiteralLike(at);
      return rest.length === 0 && isText ? [at] : undefined;
    });
    const methods = this.#values.texts(request, ["method"]);
    const isWatch = this.#values.has(request, ["query", "watch"]);
    const tell = (node: ts.Node): void => {
      this.#found.doubt(
        node,
        { suffix: "", verbs: [] },
        "client.raw()",
        "its method or its path is not constant",
      );
    };
    if (!methods || paths.lost.length > 0) tell(call);
    for (const { value } of paths.found) {
      const path = pathText(value, (node) => this.#textOf(node));
      for (const method of methods?.length === 0 ? ["GET"] : (methods ?? [])) {
        const right = rawRight(method, path, isWatch);
        if (!right) tell(value);
        else if ("url" in right) this.#found.usePath(call, right.url, right.verbs);
        else {
          const { group, resource, verbs } = right;
          this.#found.use(
            call,
            { group, plural: resource },
            { suffix: "", verbs },
            `raw(${method})`,
          );
        }
      }
    }
    if (this.#values.has(request, ["headers", "Impersonate-User"])) {
      this.#impersonate(call, this.#values.texts(request, ["headers", "Impersonate-User"]), []);
    }
  }

  /** A client that acts as another user. */
  impersonation(call: ts.Node, config: ts.Expression | undefined): void {
    if (!config || !this.#values.has(config, ["impersonate"])) return;
    const isLiteral = ts.isObjectLiteralExpression(plain(config));
    const users = this.#values.texts(config, ["impersonate", "user"]);
    // What a kubeconfig says about it is not the code's.
    if (!users && !isLiteral) return;
    this.#impersonate(call, users, this.#values.texts(config, ["impersonate", "groups", EACH]));
  }

  #impersonate(
    call: ts.Node,
    users: readonly string[] | undefined,
    groups: readonly string[] | undefined,
  ): void {
    const verbs = ["impersonate"];
    if (!users || !groups) {
      this.#found.doubt(call, { suffix: "", verbs }, "the user", "whom it acts as is not constant");
    }
    for (const user of users ?? []) {
      const account = /^system:serviceaccount:[^:]+:(.+)$/.exec(user)?.[1];
      const plural = account === undefined ? "users" : "serviceaccounts";
      this.#found.use(
        call,
        { group: "", plural },
        { suffix: "", verbs, names: [account ?? user] },
        "impersonate",
      );
    }
    for (const group of groups ?? []) {
      this.#found.use(
        call,
        { group: "", plural: "groups" },
        { suffix: "", verbs, names: [group] },
        "impersonate",
      );
    }
  }

  #textOf(node: ts.Expression): string | undefined {
    const isPart = ts.isTemplateExpression(node) || ts.isBinaryExpression(node);
    const [text, ...others] = (isPart ? undefined : this.#values.texts(node, [])) ?? [];
    return others.length > 0 || text?.includes(HOLE) ? undefined : text;
  }
}
