/** What differs between releases of a chart: names, the namespace, the account, and the labels that select pods. */
import { literalPattern } from "../../../kube/text/literal-pattern.ts";
import { asJson, isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import type { OperatorDeployment } from "../../project/operator-deployment.ts";
import { Composed, Expression, Fields, goString, Hole, type TemplateNode } from "./nodes.ts";
import { isPodTemplate, podLabels, type PodTemplate } from "./pod-templates.ts";

/** The label by which selectors tell the pods of two releases apart. */
const INSTANCE = "app.kubernetes.io/instance";
const RELEASE = new Expression(".Release.Name");
const NAMESPACE = new Expression(".Release.Namespace");

/** Fields that hold selectors of objects in the release's namespace. */
const SELECTORS = new Set(["selector", "podSelector", "labelSelector"]);
/** Fields whose texts name types. */
const TYPES = new Set(["apiVersion", "kind"]);

/** Replaces what differs between releases in objects that `config/default` renders. */
export class ReleaseScope {
  /** The longest name without the prefix, in characters. */
  readonly longestName: number;
  readonly #prefix: string;
  readonly #names: readonly string[];
  readonly #namespace: string | undefined;
  readonly #account: string | undefined;
  readonly #hasAccount: boolean;
  /** What the names of the release's objects begin with, without the dash. */
  readonly namePrefix: Expression;
  readonly #accountName: Expression;
  readonly #pattern: RegExp;
  /** The labels of pods and Services. */
  readonly #labelSets: readonly JsonObject[];

  constructor(objects: readonly ManifestObject[], operator: OperatorDeployment, chart: string) {
    const { name, namespace } = operator.metadata;
    this.#prefix = prefixOf(name, chart);
    this.#namespace = namespace;
    this.#account = operator.spec.template.spec?.serviceAccountName;
    this.#hasAccount = objects.some((one) => this.isAccount(one));
    this.namePrefix = new Expression(`include ${goString(`${chart}.namePrefix`)} .`);
    this.#accountName = new Expression(`include ${goString(`${chart}.serviceAccountName`)} .`);
    this.#names = objects
      .filter(({ kind }) => kind !== "Namespace")
      .map(({ metadata }) => metadata.name)
      .filter((one) => one.startsWith(this.#prefix) && one.length > this.#prefix.length);
    this.longestName = Math.max(...this.#names.map((one) => one.length - this.#prefix.length), 0);
    this.#pattern = this.#patternOf();
    this.#labelSets = objects.flatMap((object) => [
      ...(object.kind === "Service" ? [object.metadata.labels ?? {}] : []),
      ...podLabels(object),
    ]);
  }

  /** The object as a node. A CRD belongs to all releases, so only what it refers to differs. */
  object(object: ManifestObject): { readonly [key: string]: TemplateNode } {
    const { metadata, ...rest } = object as ManifestObject & { readonly spec?: JsonObject };
    if (object.kind === "CustomResourceDefinition") {
      const { conversion, ...spec } = rest.spec ?? {};
      const { labels, annotations } = metadata;
      return {
        ...(rest as { readonly [key: string]: TemplateNode }),
        metadata: {
          ...(asJson(metadata) as { readonly [key: string]: TemplateNode }),
          ...(labels !== undefined && { labels: this.#pairs(labels) }),
          ...(annotations !== undefined && { annotations: this.value(annotations) }),
        },
        spec: {
          ...(spec as { readonly [key: string]: TemplateNode }),
          ...(conversion !== undefined && { conversion: this.value(conversion) }),
        },
      };
    }
    const { apiVersion, kind, ...others } = rest;
    const { labels, name, ...more } = metadata;
    const written = this.isAccount(object) ? this.#accountName : this.#text(name);
    return {
      apiVersion,
      kind,
      metadata: new Fields([
        ["name", written],
        ...this.#fields(more),
        ["labels", this.labels(labels)],
      ]),
      ...Object.fromEntries<TemplateNode>(this.#fields(others)),
    };
  }

  /** Whether the value names an object or the namespace of the release. */
  isIn(value: unknown): boolean {
    if (Hole.is(value)) return false;
    if (typeof value === "string") return this.#text(value) !== value;
    if (Array.isArray(value)) return value.some((item) => this.isIn(item));
    return isJsonObject(value) && Object.values(value).some((inner) => this.isIn(inner));
  }

  /** The account's name if no value says another one, as a template outside of YAML. */
  get account(): Composed | string {
    return this.#text(this.#account ?? "default");
  }

  /** The name of an object of the release. */
  name(name: string): Composed | string {
    return this.#text(name);
  }

  /** A JSON value as a node. @param field - the field that holds it */
  value(value: unknown, field = ""): TemplateNode {
    if (typeof value === "string") {
      if (TYPES.has(field)) return value;
      if (field === "namespace" && value === this.#namespace) return NAMESPACE;
      if (field === "serviceAccountName" && this.#hasAccount && value === this.#account) {
        return this.#accountName;
      }
      return this.#text(value);
    }
    if (Hole.is(value)) return value as TemplateNode;
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (!isJsonObject(value)) return value as TemplateNode;
    const isAccount =
      value["kind"] === "ServiceAccount" && this.#hasAccount && value["name"] === this.#account;
    const entries = Object.entries(value).map(([key, inner]): readonly [string, TemplateNode] => {
      if (isAccount && key === "name") return [key, this.#accountName];
      if (SELECTORS.has(key)) return [key, this.selector(inner)];
      if (isPodTemplate(key, inner)) return [key, this.#podTemplate(inner)];
      return [key, this.value(inner, key)];
    });
    return new Fields(entries);
  }

  /** The labels of an object, and that of the release. */
  labels(labels: JsonObject | undefined): Fields {
    return this.#pairs({ ...labels, [INSTANCE]: RELEASE });
  }

  #pairs(labels: JsonObject): Fields {
    return new Fields(
      Object.entries(labels).map(([key, value]) => {
        const isKustomize = key === "app.kubernetes.io/managed-by" && value === "kustomize";
        if (isKustomize) return [key, new Expression(".Release.Service")];
        return [key, this.value(value)];
      }),
    );
  }

  #podTemplate({ metadata, ...rest }: PodTemplate): TemplateNode {
    const { labels, ...others } = metadata ?? {};
    const written = labels instanceof Fields ? labels : labels && this.labels(labels);
    return new Fields([
      ["metadata", new Fields([["labels", written], ...this.#fields(others)])],
      ...this.#fields(rest),
    ]);
  }

  #fields(object: JsonObject): (readonly [string, TemplateNode])[] {
    return Object.entries(object).map(([key, value]) => [key, this.value(value, key)]);
  }

  /** A selector of own pods or Services, limited to those of the release. */
  selector(value: unknown): TemplateNode {
    if (!isJsonObject(value)) return this.value(value);
    const { matchLabels, ...rest } = value;
    if (isJsonObject(matchLabels) && this.#selectsOwn(matchLabels)) {
      return new Fields([["matchLabels", this.labels(matchLabels)], ...this.#fields(rest)]);
    }
    return this.#selectsOwn(value) ? this.labels(value) : this.value(value);
  }

  #selectsOwn(labels: JsonObject): boolean {
    const pairs = Object.entries(labels);
    return (
      pairs.length > 0 &&
      this.#labelSets.some((set) => pairs.every(([key, value]) => set[key] === value))
    );
  }

  /** Whether the object is the account that the operator runs as. */
  isAccount({ kind, metadata }: ManifestObject): boolean {
    return kind === "ServiceAccount" && metadata.name === this.#account;
  }

  #text(text: string): Composed | string {
    const parts: (string | Expression)[] = [];
    let end = 0;
    for (const match of text.matchAll(this.#pattern)) {
      const { namespace, inHost, inPath } = match.groups ?? {};
      parts.push(text.slice(end, match.index));
      if ((namespace ?? inHost ?? inPath) === undefined)
        parts.push(this.namePrefix, match[0].slice(this.#prefix.length - 1));
      else parts.push(NAMESPACE);
      end = match.index + match[0].length;
    }
    if (end === 0) return text;
    return new Composed([...parts, text.slice(end)].filter((part) => part !== ""));
  }

  #patternOf(): RegExp {
    const names = [...new Set(this.#names)]
      .sort((one, other) => other.length - one.length)
      .map(literalPattern)
      .join("|");
    const [before, after] = ["(?<![A-Za-z0-9-])", "(?![A-Za-z0-9-])"];
    const alternatives = names === "" ? [] : [`${before}(?:${names})${after}`];
    if (this.#namespace !== undefined) {
      const namespace = literalPattern(this.#namespace);
      if (this.#namespace.startsWith(this.#prefix)) {
        alternatives.push(`${before}(?<namespace>${namespace})${after}`);
      } else if (names !== "") {
        // Any word can be a namespace: it stands for it only next to the name of an object.
        alternatives.push(
          `(?<=${before}(?:${names})\\.)(?<inHost>${namespace})(?=\\.svc)`,
          `${before}(?<inPath>${namespace})(?=/(?:${names})${after})`,
        );
      }
    }
    return new RegExp(alternatives.length === 0 ? "(?!)" : alternatives.join("|"), "g");
  }
}

/** What the names of the objects of `config/default` begin with. */
function prefixOf(name: string, project: string): string {
  const [prefix = ""] = /^(.*-)?controller-manager$/.exec(name)?.slice(1) ?? [`${project}-`];
  return prefix === "" ? `${project}-` : prefix;
}
