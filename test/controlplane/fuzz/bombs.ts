/**
 * Requests that are cheap to send and would be dear to answer: big bodies, deep ones, patterns that backtrack, patches
 * that grow, expressions that multiply.
 */
import type { Random } from "../../support/random.ts";
import type { FuzzRequest } from "./requests.ts";

const WIDGETS = "/apis/fuzz.example.com/v1/namespaces/default/widgets";
const MAPS = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const request = (
  method: string,
  path: string,
  body: unknown,
  type = "application/json",
): FuzzRequest => ({
  method,
  path,
  headers: { "content-type": type },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const widget = (spec: object): object => ({
  apiVersion: "fuzz.example.com/v1",
  kind: "Widget",
  metadata: { name: "bomb" },
  spec,
});

const range = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** A definition whose one field has these keywords. */
function definitionWith(random: Random, field: object, more: object = {}): object {
  const plural = `bombs${random.below(3)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.bomb.example.com` },
    spec: {
      group: "bomb.example.com",
      scope: "Namespaced",
      names: { plural, kind: `Bomb${plural.slice(5)}`, listKind: `Bomb${plural.slice(5)}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { f: field }, ...more } },
        },
      ],
    },
  };
}

const nestedList = (depth: number): object =>
  depth === 0 ? { type: "string" } : { type: "array", items: nestedList(depth - 1) };

const nestedRule = (depth: number, list = "self"): string =>
  depth === 0 ? "true" : `${list}.all(x${depth}, ${nestedRule(depth - 1, `x${depth}`)})`;

type Bomb = (random: Random) => FuzzRequest;

const EVIL_PATTERNS = ["^(a+)+$", "(a|a)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x", "a{1,1000}"];
const EVIL_RULES = [
  "self.matches('^(a+)+$')",
  "self.split('').all(x, self.contains(x))",
  "self.replace('a', self).size() > 0",
  "(self + self + self + self).matches('(a|a)*b')",
  `${"(".repeat(200)}self == ''${")".repeat(200)}`,
  `${"!".repeat(5000)}true`,
  `[${"1,".repeat(20_000)}1].all(x, x > 0)`,
  "self == '\\u0000'",
];

/** By name, which the report tells. */
const BOMBS: Readonly<Record<string, Bomb>> = {
  "text of 3 MiB": (random) =>
    request("POST", WIDGETS, widget({ free: { a: "a".repeat(random.pick([1, 2, 3]) * 2 ** 20) } })),
  "many keys": (random) =>
    request(
      "POST",
      WIDGETS,
      widget({
        free: Object.fromEntries(range(random.pick([1000, 20_000, 100_000]), (n) => [`k${n}`, n])),
      }),
    ),
  "many items of a list map": (random) =>
    request(
      "POST",
      WIDGETS,
      widget({
        parts: range(random.pick([100, 2000, 8000]), (n) => ({ name: `n${n}`, count: n })),
      }),
    ),
  "many items of a set": (random) =>
    request(
      "POST",
      WIDGETS,
      widget({ tags: range(random.pick([100, 2000, 10_000]), (n) => `t${n}`) }),
    ),
  "a map too big": () =>
    request("POST", MAPS, { metadata: { name: "bomb" }, data: { a: "a".repeat(1_100_000) } }),
  "many labels": (random) =>
    request("POST", MAPS, {
      metadata: {
        name: "bomb",
        labels: Object.fromEntries(range(random.pick([100, 5000]), (n) => [`k${n}`, "v"])),
      },
    }),
  "a patch that grows": (random) =>
    request(
      "PATCH",
      `${WIDGETS}/w`,
      [
        { op: "add", path: "/spec/free", value: { a: "x".repeat(1000) } },
        ...range(random.pick([5, 25]), (n) => ({
          op: "copy",
          from: "/spec/free",
          path: `/spec/free/b${n}`,
        })),
      ],
      "application/json-patch+json",
    ),
  "a patch of many operations": (random) =>
    request(
      "PATCH",
      `${WIDGETS}/w`,
      range(random.pick([9000, 20_000]), (n) => ({
        op: "add",
        path: `/spec/free/k${n}`,
        value: n,
      })),
      "application/json-patch+json",
    ),
  "a configuration of many fields": (random) =>
    request(
      "PATCH",
      `${WIDGETS}/bomb?fieldManager=m${random.below(3)}&force=true`,
      widget({ parts: range(2000, (n) => ({ name: `n${n}`, count: random.below(5) })) }),
      "application/apply-patch+yaml",
    ),
  "aliases that multiply": () =>
    request(
      "POST",
      WIDGETS,
      range(12, (n) => `a${n}: &a${n} [${n === 0 ? "x," : `*a${n - 1},`.repeat(9)}]`).join("\n"),
      "application/yaml",
    ),
  "a pattern that backtracks": (random) =>
    random.chance(0.5)
      ? request(
          "POST",
          DEFINITIONS,
          definitionWith(random, {
            type: "string",
            pattern: random.pick(EVIL_PATTERNS),
          }),
        )
      : request("POST", `/apis/bomb.example.com/v1/namespaces/default/bombs${random.below(3)}`, {
          apiVersion: "bomb.example.com/v1",
          kind: `Bomb${random.below(3)}`,
          metadata: { name: "b" },
          f: `${"a".repeat(random.pick([30, 5000, 100_000]))}!`,
        }),
  "a rule that multiplies": (random) =>
    request(
      "POST",
      `${DEFINITIONS}?dryRun=All`,
      definitionWith(random, nestedList(3), {
        "x-kubernetes-validations": [{ rule: nestedRule(random.pick([1, 3]), "self.f") }],
      }),
    ),
  "a rule on a long text": (random) =>
    request(
      "POST",
      DEFINITIONS,
      definitionWith(random, {
        type: "string",
        maxLength: random.pick([10, 1000, 100_000]),
        "x-kubernetes-validations": [{ rule: random.pick(EVIL_RULES) }],
      }),
    ),
  "a schema that is deep": (random) =>
    request(
      "POST",
      `${DEFINITIONS}?dryRun=All`,
      definitionWith(random, nestedList(random.pick([10, 200, 900]))),
    ),
  "a selector without end": (random) =>
    request(
      "GET",
      `${MAPS}?labelSelector=${encodeURIComponent(range(random.pick([10, 500]), (n) => `k${n}!=v`).join(","))}`,
      "",
    ),
  "the end of the definitions": (random) =>
    request("DELETE", `${DEFINITIONS}/bombs${random.below(3)}.bomb.example.com`, ""),
  "the end of the widget": () => request("DELETE", `${WIDGETS}/bomb`, ""),
};

/** One of them, and what it is. */
export function nextBomb(random: Random): { readonly name: string; readonly request: FuzzRequest } {
  const [name, bomb] = random.pick(Object.entries(BOMBS));
  return { name, request: bomb(random) };
}
