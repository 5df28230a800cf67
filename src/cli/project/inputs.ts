/**
 * Input of users, checked as strictly as the API server would check it later, before anything is
 * written. Every refusal names the flag, the rule and an example that works.
 */
import { capitalized } from "../../kube/text/capitalized.ts";
import { UsageError } from "../../errors.ts";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../../kube/names.ts";

/**
 * The longest name that is derived from the project's: `<name>-controller-manager-metrics-service`.
 */
const LONGEST_SUFFIX = "-controller-manager-metrics-service";
const LABEL_MAX = 63;
const PROTECTED_GROUP = /(^|\.)(k8s|kubernetes)\.io$/;

/**
 * Names that a class of the scaffold cannot have: the language's own, and those that the scaffold
 * imports.
 */
const TAKEN_NAMES = new Set(
  (
    "Array ArrayBuffer Atomics BigInt Boolean Buffer DataView Date Error EvalError Function Infinity " +
    "Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect " +
    "RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakRef WeakSet URL Event " +
    "EventTarget AbortController AbortSignal Client Condition CustomResource Duration Float Double " +
    "Int32 Int64 IntOrString ListMap ListSet Manager MicroTime PrintColumn Quantity Rbac Reconciler " +
    "ReconcileContext Record Request Resource Result Time"
  ).split(" "),
);

/** @throws UsageError `bad-domain` unless it can end an API group */
export function checkDomain(domain: string): void {
  const [problem] = dns1123SubdomainErrors(domain);
  if (problem !== undefined) throw bad("domain", domain, problem, "--domain example.com");
  checkUnprotected("domain", domain);
}

/** @throws UsageError `bad-project-name` unless every name that is derived from it is one */
export function checkProjectName(name: string): void {
  const [problem] = dns1035LabelErrors(name);
  if (problem !== undefined) {
    throw bad("project-name", name, problem, "--project-name web-operator");
  }
  const max = LABEL_MAX - LONGEST_SUFFIX.length;
  if (name.length > max) {
    throw bad(
      "project-name",
      name,
      `must be no more than ${max} characters, because \`${name}${LONGEST_SUFFIX}\` would be over ${LABEL_MAX}`,
      `--project-name ${name.slice(0, max).replace(/-+$/, "")}`,
    );
  }
}

/** @throws UsageError `bad-group` unless `group.domain` is an API group that anyone may define */
export function checkGroup(group: string, domain: string): void {
  const whole = group === "" ? domain : `${group}.${domain}`;
  const [problem] = dns1123SubdomainErrors(whole);
  if (problem !== undefined) throw bad("group", group, problem, "--group web");
  if (!whole.includes(".")) {
    throw bad(
      "group",
      group,
      `the API group \`${whole}\` must have a dot in it`,
      "--group web (with the domain it becomes `web.example.com`)",
    );
  }
  checkUnprotected("group", whole);
}

/** @throws UsageError `bad-version` unless it is `v1`, `v1beta2`, ... */
export function checkVersion(version: string): void {
  const [problem] = dns1035LabelErrors(version);
  if (problem !== undefined) throw bad("version", version, problem, "--version v1");
  if (!/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version)) {
    throw bad(
      "version",
      version,
      "must be `v`, a number, and optionally `alpha` or `beta` with a number: anything else sorts last and reads as unfinished",
      "--version v1, or --version v1beta1",
    );
  }
}

/**
 * @param scaffolded - a class of that name is made; the names of kinds of others are as they are
 * @throws UsageError `bad-kind` unless it names a class, a CRD and files
 */
export function checkKind(kind: string, scaffolded = true): void {
  const example = exampleKind(kind);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) {
    throw bad(
      "kind",
      kind,
      "must begin with an upper-case letter and have only letters and digits",
      `--kind ${example}`,
    );
  }
  if (kind.length > LABEL_MAX) {
    throw bad(
      "kind",
      kind,
      `must be no more than ${LABEL_MAX} characters`,
      `--kind ${kind.slice(0, 20)}`,
    );
  }
  if (kind.endsWith("List") && kind !== "List") {
    throw bad(
      "kind",
      kind,
      "must not end in `List`, which Kubernetes uses for the list type of a kind",
      `--kind ${kind.slice(0, -4)}`,
    );
  }
  if (scaffolded && (TAKEN_NAMES.has(kind) || kind === "List")) {
    throw bad(
      "kind",
      kind,
      "is reserved: the scaffold uses this TypeScript or tsop name",
      `--kind My${kind}`,
    );
  }
}

/** @throws UsageError `bad-plural` unless it can stand in URLs, and `plural.group` can name a CRD */
export function checkPlural(plural: string, apiGroup: string): void {
  const [problem] = dns1035LabelErrors(plural);
  if (problem !== undefined) throw bad("plural", plural, problem, "--plural mywebs");
  const [whole] = dns1123SubdomainErrors(`${plural}.${apiGroup}`);
  if (whole !== undefined) throw bad("plural", plural, whole, "--plural mywebs");
}

/** The error about flags that are missing; a group, which may be empty, is named where all are. */
export function missingFlags(
  given: { readonly group?: string; readonly version?: string; readonly kind?: string },
  example: string,
): UsageError {
  const required = (["version", "kind"] as const).filter((name) => given[name] === undefined);
  const isAll = required.length === 2 && (given.group ?? "") === "";
  const flags = [...(isAll ? ["group"] : []), ...required].map((name) => `--${name}`);
  const last = flags.pop();
  const named = flags.length === 0 ? `${last} is` : `${flags.join(", ")} and ${last} are`;
  return new UsageError(
    `missing-${required[0] ?? "flag"}`,
    `${named} missing.`,
    `For example: ${example}`,
  );
}

/** A project name made of a folder's name. */
export function projectNameOf(folder: string): string {
  return folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "");
}

function exampleKind(kind: string): string {
  const words = kind.split(/[^A-Za-z0-9]+/).filter((word) => /^[A-Za-z]/.test(word));
  return words.map(capitalized).join("") || "MyWeb";
}

function checkUnprotected(flag: string, group: string): void {
  if (!PROTECTED_GROUP.test(group)) return;
  throw bad(
    flag,
    group,
    "ends in k8s.io or kubernetes.io, which belong to the Kubernetes project: the API server refuses such kinds without its approval",
    flag === "domain" ? "--domain example.com" : "--group web",
  );
}

function bad(flag: string, value: string, problem: string, example: string): UsageError {
  return new UsageError(
    `bad-${flag}`,
    `--${flag} ${JSON.stringify(value)}: ${problem}.`,
    `For example: ${example}`,
  );
}

/** @throws UsageError `bad-timeout` unless it is a positive number of seconds */
export function checkTimeout(seconds: number): void {
  if (Number.isFinite(seconds) && seconds > 0) return;
  throw new UsageError(
    "bad-timeout",
    "--timeout must be a positive number of seconds, or a duration.",
    "For example: --timeout 120, or --timeout 2m",
  );
}

/** @throws UsageError `bad-port` unless a server can listen there */
export function checkPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new UsageError(
    "bad-port",
    "--port must be a number from 0 to 65535.",
    "For example: --port 6443; 0 takes a free one.",
  );
}

/** @throws UsageError `bad-image` unless it looks like `registry/name:tag` */
export function checkImage(image: string): void {
  const reference =
    /^([a-zA-Z0-9.-]+(:[0-9]+)?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$/;
  if (reference.test(image)) return;
  throw new UsageError(
    "bad-image",
    `--image ${JSON.stringify(image)} is not an image reference.`,
    "For example: --image registry.example.com/web-operator:0.1.0",
  );
}
