/** Names of the rendered objects, as expressions of a chart. */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../kube/object.ts";

/** An expression that stands in a text until the YAML is written. */
export function expression(text: string): string {
  return `${OPEN}${text}${CLOSE}`;
}

/** Markers around expressions, as YAML writes them escaped, in double quotes. */
const OPEN = "\u0002";
const CLOSE = "\u0003";
const WRITTEN = new RegExp(`${OPEN}([^${CLOSE}]*)${CLOSE}`, "g");
const NUMBER = new RegExp(`"${OPEN}(\\.Values\\.replicaCount)${CLOSE}"`, "g");

/** The text of a template: expressions as Helm reads them, braces of the objects as texts. */
export function withExpressions(yaml: string): string {
  return yaml
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll("\\x02", OPEN)
    .replaceAll("\\x03", CLOSE)
    .replaceAll(NUMBER, "{{ $1 }}")
    .replaceAll(
      WRITTEN,
      (_found, text: string) =>
        // Inside of double quotes YAML has escaped the quotes of the expression.
        `{{ ${text.replaceAll('\\"', '"')} }}`,
    );
}

/** Puts expressions in place of the names and the namespace of the rendered objects. */
export class ChartNames {
  readonly #pattern: RegExp;
  readonly #expressions = new Map<string, string>();
  /** The account that the operator runs as; `undefined` when there are several. */
  readonly #account: string | undefined;
  /** The longest name without the prefix: what a prefix leaves room for. */
  readonly longest: number;

  constructor(objects: readonly ManifestObject[], projectName: string) {
    const prefix = `${projectName}-`;
    const accounts = objects.filter(({ kind }) => kind === "ServiceAccount");
    this.#account = accounts.length === 1 ? accounts[0]?.metadata.name : undefined;
    let longest = 0;
    for (const { kind, metadata } of objects) {
      const { name } = metadata;
      if (kind === "Namespace") this.#expressions.set(name, expression(".Release.Namespace"));
      else if (name.startsWith(prefix)) {
        const rest = name.slice(projectName.length);
        longest = Math.max(longest, rest.length);
        this.#expressions.set(name, `${expression(".Values.namePrefix")}${rest}`);
      }
    }
    this.longest = longest;
    const names = [...this.#expressions.keys()].sort((one, other) => other.length - one.length);
    const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    this.#pattern =
      escaped.length === 0
        ? /(?!)/g
        : new RegExp(`(?<![A-Za-z0-9-])(?:${escaped.join("|")})(?![A-Za-z0-9-])`, "g");
  }

  /** Whether the text names an object or the namespace. */
  isNamedIn(text: string): boolean {
    return text.search(this.#pattern) >= 0;
  }

  /** The value with expressions in all its texts. */
  within(value: unknown): unknown {
    if (typeof value === "string") {
      return value.replaceAll(this.#pattern, (name) => this.#expressions.get(name) ?? name);
    }
    if (Array.isArray(value)) return value.map((item) => this.within(item));
    if (!isJsonObject(value)) return value;
    const { kind, metadata } = value;
    const isAccount = kind === "ServiceAccount" && !isJsonObject(metadata);
    const written = Object.fromEntries(
      Object.entries(value).map(([field, inner]) => {
        const named = field === "serviceAccountName" || (isAccount && field === "name");
        return [field, named && inner === this.#account ? ACCOUNT : this.within(inner)];
      }),
    );
    if (kind === "ServiceAccount" && isJsonObject(metadata) && metadata["name"] === this.#account) {
      written["metadata"] = { ...(written["metadata"] as JsonObject), name: ACCOUNT };
    }
    return written;
  }
}

const ACCOUNT = expression('include "operator.serviceAccountName" .');
