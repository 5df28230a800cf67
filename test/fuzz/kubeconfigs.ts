/** Kubeconfigs that nobody should have written. */
import { stringify } from "yaml";
import { VirtualClock } from "../../src/clock.ts";
import { InternalError, TsopError } from "../../src/errors.ts";
import { loadClusterConfig } from "../../src/runtime/kubeconfig/load-config.ts";
import chains from "../runtime/kubeconfig/client-go/trust.json" with { type: "json" };
import type { Random } from "../support/random.ts";
import type { FuzzKind } from "./campaign.ts";

const { pool = "", chain = "", key = "" } = chains[0] ?? {};
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const V1 = "client.authentication.k8s.io/v1";

/** Every field that is known, with a good value. */
function good(): Tree {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "main",
    contexts: [{ name: "main", context: { cluster: "c", user: "u", namespace: "crew" } }],
    clusters: [
      {
        name: "c",
        cluster: {
          server: "https://example.com:6443",
          "certificate-authority-data": base64(pool),
          "insecure-skip-tls-verify": false,
          "tls-server-name": "other.example",
          "proxy-url": "http://proxy:3128",
          "disable-compression": true,
          extensions: [{ name: V1.replace("/v1", "/exec"), extension: { a: [1] } }],
        },
      },
    ],
    users: [
      {
        name: "u",
        user: {
          "client-certificate-data": base64(chain),
          "client-key-data": base64(key),
          token: "secret-token",
          as: "other",
          "as-uid": "1",
          "as-groups": ["a", "b"],
          "as-user-extra": { scopes: ["x"] },
          exec: {
            apiVersion: V1,
            command: "/bin/login",
            args: ["secret-argument"],
            env: [{ name: "A", value: "secret-value" }],
            interactiveMode: "Never",
            provideClusterInfo: true,
          },
        },
      },
    ],
  };
}

type Tree = { [name: string]: unknown } | unknown[];

const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => "",
  () => "text",
  () => 5,
  () => -0.5,
  () => true,
  () => "true",
  () => [],
  () => [null],
  () => ({}),
  () => ({ name: "main" }),
  () => "x".repeat(2000),
  () => "\u0000",
  () => "a\r\nHost: b",
  () => "\ud800",
  () => "\u202e\u200b\ufeff",
  () => "../../../etc/passwd",
  () => "/dev/null",
  () => "/",
  () => "http://user:secret-login@example.com",
  () => "https://[::1",
  () => "ftp://x",
  () => "localhost",
  () => "AAA=",
  () => base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
  () => base64("-----BEGIN ".repeat(100)),
  () => base64(key),
  () => nested(60),
  () => nested(300),
  () => Array.from({ length: 50 }, (_, index) => ({ name: `n${index}` })),
];

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const RAW = [
  "&a ",
  "*a",
  "<<: *a\n",
  "!!binary ",
  "!!js/function ",
  "? ",
  "- ",
  "- - - - ",
  "[",
  "{",
  "]",
  "}",
  ": ",
  "---\n",
  "...\n",
  "%YAML 9.9\n",
  "|\n",
  ">-\n",
  "'",
  '"',
  "\\",
  "\t",
  "\n",
  "#",
  "@",
  "`",
  "\u0000",
  "\ufeff",
  "\u2028",
  "__proto__: ",
  "? ".repeat(300),
  "[".repeat(2000),
  "{a: ".repeat(500),
  "- ".repeat(2000),
  "a: &x [*x]\n",
  "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: &d [*c,*c]\ne: &e [*d,*d]\nf: &f [*e,*e]\ng: &g [*f,*f]\n",
];

/** Good kubeconfigs with a few changes: to their values, and to their text. */
export const kubeconfigs: FuzzKind<string> = {
  about: "kubeconfigs that nobody should have written",
  next(random) {
    const tree = good();
    for (let changes = random.below(4); changes > 0; changes--) change(tree, random);
    // Reading certificates and keys takes most of the time of a good kubeconfig.
    if (random.chance(0.7)) dropCertificates(tree);
    // Otherwise the program would never be asked for.
    if (random.chance(0.3)) dropCredentials(tree);
    const text = asText(tree, random);
    if (random.chance(0.0002)) return huge(text, random);
    return random.chance(0.3) ? spoil(text, random) : text;
  },
  show: (text) => JSON.stringify(text),
  start: () => Promise.resolve({ attempt, stop: () => Promise.resolve() }),
};

function asText(tree: Tree, random: Random): string {
  if (random.chance(0.9)) return JSON.stringify(tree, null, random.below(2));
  try {
    return stringify(tree);
  } catch {
    // It is nested deeper than the writer can follow.
    return JSON.stringify(tree);
  }
}

function dropCertificates(tree: Tree): void {
  const { clusters, users } = tree as Record<string, unknown>;
  drop(clusters, "cluster", ["certificate-authority-data"]);
  drop(users, "user", ["client-certificate-data", "client-key-data"]);
}

function dropCredentials(tree: Tree): void {
  const { users } = tree as Record<string, unknown>;
  drop(users, "user", ["token", "client-certificate-data", "client-key-data"]);
}

/** Removes fields of the first entry of a list, if it still has them. */
function drop(entries: unknown, part: string, names: readonly string[]): void {
  const entry = Array.isArray(entries) ? (entries[0] as unknown) : undefined;
  const fields = (entry as Record<string, unknown> | null | undefined)?.[part];
  if (typeof fields !== "object" || fields === null) return;
  for (const name of names) Reflect.deleteProperty(fields, name);
}

/** Replaces, removes, doubles or renames one field somewhere. */
function change(tree: Tree, random: Random): void {
  const places: [holder: Record<string, unknown>, name: string][] = [];
  const collect = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 12) return;
    for (const name of Object.keys(value)) {
      places.push([value as Record<string, unknown>, name]);
      collect((value as Record<string, unknown>)[name], depth + 1);
    }
  };
  collect(tree, 0);
  if (places.length === 0) return;
  const [holder, name] = random.pick(places);
  const before = holder[name];
  switch (random.below(5)) {
    case 0:
      Reflect.deleteProperty(holder, name);
      break;
    case 1:
      if (Array.isArray(holder)) holder.push(before);
      else holder[`${name}x`] = before;
      break;
    case 2:
      holder[name] = [before];
      break;
    default:
      holder[name] = random.pick(VALUES)();
  }
}

/** One kind of thing so often that whatever is quadratic would show. */
function huge(text: string, random: Random): string {
  const piece = random.pick([
    "- ",
    "[",
    "{a: ",
    "? ",
    "*a ",
    "&a ",
    "\n",
    "# x\n",
    "a: b\n",
    "'",
    '"',
    "x",
    "x\n",
    "---\n",
    " - x\n",
    "!t ",
    "<<: *a\n",
  ]);
  const many = piece.repeat(Math.floor(100_000 / piece.length));
  return random.chance(0.5) ? many : `x: ${many}\n${text}`;
}

function spoil(text: string, random: Random): string {
  let spoilt = text;
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = random.below(spoilt.length + 1);
    const removed = random.chance(0.3) ? random.below(200) : 0;
    const added = random.chance(0.8) ? random.pick(RAW) : String.fromCharCode(random.below(65_536));
    spoilt = spoilt.slice(0, at) + added + spoilt.slice(at + removed);
  }
  return spoilt;
}

const clock = new VirtualClock();
const SECRETS = /secret-(token|argument|value|login)/;

function attempt(text: string): Promise<string> {
  try {
    const config = loadClusterConfig({
      kubeconfigText: text,
      clock,
      environment: {},
      onWarning: () => undefined,
    });
    if (!/^https?:\/\/[^/]/.test(config.server)) throw new Error(`the server is ${config.server}`);
    if (config.skipTlsVerify && config.ca !== undefined) throw new Error("both a CA and none");
    return Promise.resolve(`taken, with ${config.credentials.recipe?.kind ?? "nothing"}`);
  } catch (error) {
    if (!(error instanceof TsopError) || error instanceof InternalError) throw error;
    // Names are told: of contexts, clusters and users.
    const named = error.code === "kubeconfig-incomplete";
    if (!named && SECRETS.test(error.message))
      throw new Error("a secret is told", { cause: error });
    if (error.fix === "") throw new Error("there is no next step", { cause: error });
    return Promise.resolve(error.code);
  }
}
