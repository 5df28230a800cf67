/**
 * Rules in CEL: expressions over the fields of a custom resource, well typed or nearly so, and objects to try them on.
 */
import { SPEC_FIELDS, VALUES } from "./cel-fields.ts";
import type { Random } from "../../../test/support/random.ts";
import {
  establish,
  removeDefinition,
  widgetDefinition,
  type Json,
  type Scenario,
  type Step,
} from "./scenario.ts";

type Type =
  | "string"
  | "int"
  | "double"
  | "bool"
  | "strings"
  | "ints"
  | "timestamp"
  | "duration"
  | "quantity"
  | "any";
type Make = (depth: number) => string;

class Expressions {
  readonly #random: Random;
  /** How often a part of another type stands where it does not fit. */
  readonly #wrong: number;
  readonly #old: boolean;
  #name = 0;

  constructor(random: Random, wrong: number, old: boolean) {
    this.#random = random;
    this.#wrong = wrong;
    this.#old = old;
  }

  of(type: Type, depth: number): string {
    const random = this.#random;
    if (random.chance(this.#wrong)) {
      return random.chance(0.3)
        ? random.pick([
            "self.nothing",
            "nothing",
            "self.s.nothing()",
            "foo(1)",
            "self.o.zz",
            "self.i.size()",
            "1 +",
            "'a",
            "self.?s",
            "null",
            "{}",
            "[1, 'a']",
          ])
        : this.of(
            random.pick<Type>(["string", "int", "bool", "double", "strings", "timestamp"]),
            depth,
          );
    }
    const makers = (depth <= 0 ? this.#leaves : this.#trees)[type];
    return random.pick(makers)(depth - 1);
  }

  get #self(): string {
    return this.#old && this.#random.chance(0.3) ? "oldSelf" : "self";
  }

  readonly #leaves: Record<Type, readonly Make[]> = {
    string: [
      () =>
        this.#random.pick([
          "'a'",
          "'b'",
          "''",
          "'ab c'",
          "'A1'",
          "'ä€😀'",
          "'10.0.0.1'",
          "'1Gi'",
          "r'\\d'",
          '"x"',
        ]),
      () => `${this.#self}.s`,
      () => `${this.#self}.t`,
      () => `${this.#self}.o.s`,
    ],
    int: [
      () => this.#random.pick(["0", "1", "2", "-1", "10", "9223372036854775807"]),
      () => `${this.#self}.i`,
      () => `${this.#self}.j`,
      () => `${this.#self}.o.a`,
    ],
    double: [() => this.#random.pick(["0.0", "1.5", "-2.5", "1e3"]), () => `${this.#self}.n`],
    bool: [() => this.#random.pick(["true", "false"]), () => `${this.#self}.b`],
    strings: [
      () => "['a', 'b']",
      () => `${this.#self}.l`,
      () => `${this.#self}.set`,
      () => "['b', 'a', 'a']",
    ],
    ints: [() => "[1, 2]", () => `${this.#self}.li`, () => "[3, 1, 1]"],
    timestamp: [() => `${this.#self}.d`, () => "timestamp('2026-01-02T03:04:05Z')"],
    duration: [() => `${this.#self}.du`, () => "duration('1h30m')"],
    quantity: [() => "quantity('1Gi')", () => "quantity('500m')", () => "quantity(self.s)"],
    any: [() => `${this.#self}.ios`, () => `${this.#self}.nul`, () => `dyn(1)`],
  };

  #fresh(): string {
    this.#name += 1;
    return `x${this.#name}`;
  }

  readonly #trees: Record<Type, readonly Make[]> = {
    string: [
      () => this.of("string", 0),
      (d) => `${this.of("string", d)} + ${this.of("string", d)}`,
      (d) => `(${this.of("bool", d)} ? ${this.of("string", d)} : ${this.of("string", d)})`,
      (d) =>
        `string(${this.of(this.#random.pick(["int", "double", "bool", "string", "timestamp", "duration"]), d)})`,
      (d) => `${this.of("string", d)}.replace(${this.of("string", 0)}, ${this.of("string", 0)})`,
      (d) => `${this.of("string", d)}.substring(${this.of("int", 0)})`,
      (d) => `${this.of("string", d)}.substring(0, ${this.of("int", 0)})`,
      (d) =>
        `${this.of("string", d)}.${this.#random.pick(["lowerAscii", "upperAscii", "trim", "reverse"])}()`,
      (d) => `${this.of("string", d)}.charAt(${this.of("int", 0)})`,
      (d) => `${this.of("strings", d)}.join(${this.of("string", 0)})`,
      (d) => `${this.of("strings", d)}[${this.of("int", 0)}]`,
      () => `${this.#self}.m[${this.of("string", 0)}]`,
      () => `${this.#self}.lo[0].k`,
      (d) => `${this.of("string", d)}.find(${this.#random.pick(["'[a-c]+'", "'\\\\d+'", "'('"])})`,
      (d) => `self.?s.orValue(${this.of("string", d)})`,
      (d) => `self.m[?'a'].orValue(${this.of("string", d)})`,
      (d) => `'%s-%d'.format([${this.of("string", d)}, ${this.of("int", d)}])`,
      (d) => `${this.of("strings", d)}.${this.#random.pick(["min", "max"])}()`,
      (d) => `type(${this.of("any", d)}) == int ? 'int' : 'other'`,
      () => "strings.quote(self.s)",
    ],
    int: [
      () => this.of("int", 0),
      (d) =>
        `(${this.of("int", d)} ${this.#random.pick(["+", "-", "*", "/", "%"])} ${this.of("int", d)})`,
      (d) => `size(${this.of(this.#random.pick(["string", "strings", "ints"]), d)})`,
      (d) => `${this.of(this.#random.pick(["string", "strings"]), d)}.size()`,
      (d) => `int(${this.of(this.#random.pick(["string", "double", "int", "timestamp"]), d)})`,
      (d) =>
        `${this.of("string", d)}.${this.#random.pick(["indexOf", "lastIndexOf"])}(${this.of("string", 0)})`,
      (d) =>
        `${this.of("strings", d)}.${this.#random.pick(["indexOf", "lastIndexOf"])}(${this.of("string", 0)})`,
      (d) => `${this.of("ints", d)}.${this.#random.pick(["sum", "min", "max"])}()`,
      (d) => `${this.of("ints", d)}[${this.of("int", 0)}]`,
      (d) =>
        `${this.of("timestamp", d)}.${this.#random.pick(["getFullYear", "getMonth", "getDayOfWeek", "getHours", "getDayOfYear"])}()`,
      (d) =>
        `${this.of("duration", d)}.${this.#random.pick(["getHours", "getMinutes", "getSeconds"])}()`,
      (d) => `${this.of("quantity", d)}.${this.#random.pick(["sign", "asInteger"])}()`,
      () => `-${this.of("int", 0)}`,
      (d) => `(${this.of("bool", d)} ? ${this.of("int", d)} : ${this.of("int", d)})`,
      (d) => `self.?o.?a.orValue(${this.of("int", d)})`,
      (d) => `${this.of("quantity", d)}.compareTo(${this.of("quantity", d)})`,
      () => "self.lo.map(e, e.v).sum()",
    ],
    double: [
      () => this.of("double", 0),
      (d) =>
        `(${this.of("double", d)} ${this.#random.pick(["+", "-", "*", "/"])} ${this.of("double", d)})`,
      (d) => `double(${this.of(this.#random.pick(["int", "string", "double"]), d)})`,
      (d) => `${this.of("quantity", d)}.asApproximateFloat()`,
    ],
    bool: [
      (d) =>
        `${this.of("int", d)} ${this.#random.pick(["<", "<=", ">", ">=", "==", "!="])} ${this.of("int", d)}`,
      (d) =>
        `${this.of("string", d)} ${this.#random.pick(["==", "!=", "<", ">="])} ${this.of("string", d)}`,
      (d) =>
        `${this.of("double", d)} ${this.#random.pick(["<", "==", ">"])} ${this.of("double", d)}`,
      (d) =>
        `${this.of("timestamp", d)} ${this.#random.pick(["<", "==", ">"])} ${this.of("timestamp", d)}`,
      (d) =>
        `${this.of("duration", d)} ${this.#random.pick(["<", "==", ">"])} ${this.of("duration", d)}`,
      (d) => `${this.of("strings", d)} == ${this.of("strings", d)}`,
      (d) => `(${this.of("bool", d)} && ${this.of("bool", d)})`,
      (d) => `(${this.of("bool", d)} || ${this.of("bool", d)})`,
      (d) => `!(${this.of("bool", d)})`,
      (d) => `${this.of("string", d)} in ${this.of("strings", d)}`,
      (d) => `${this.of("string", d)} in self.m`,
      (d) => `${this.of("int", d)} in ${this.of("ints", d)}`,
      () =>
        `has(${this.#self}.${this.#random.pick(["s", "i", "l", "m", "o", "o.a", "lo", "nul", "m.a", "free.a"])})`,
      (d) =>
        `${this.of("string", d)}.${this.#random.pick(["startsWith", "endsWith", "contains"])}(${this.of("string", 0)})`,
      (d) =>
        `${this.of("string", d)}.matches(${this.#random.pick(["'^[a-z]*$'", "'[0-9]+'", "'['", "'a|b'"])})`,
      (d) => this.#macro(d),
      () =>
        `self.lo.${this.#random.pick(["all", "exists", "exists_one"])}(e, e.v ${this.#random.pick(["<", ">"])} ${this.of("int", 0)})`,
      (d) => `${this.of(this.#random.pick(["strings", "ints"]), d)}.isSorted()`,
      (d) =>
        `${this.#random.pick(["isQuantity", "isURL", "isIP", "isCIDR"])}(${this.of("string", d)})`,
      (d) => `ip(${this.of("string", d)}).${this.#random.pick(["isLoopback", "isUnspecified"])}()`,
      (d) => `cidr('10.0.0.0/8').containsIP(${this.of("string", d)})`,
      (d) => `url(${this.of("string", d)}).getHost() == 'a'`,
      (d) =>
        `!format.${this.#random.pick(["dns1123Label", "dns1123Subdomain", "qualifiedName", "uuid", "byte", "date"])}().validate(${this.of("string", d)}).hasValue()`,
      () =>
        `semver(${this.#random.pick(["'1.2.3'", "'v1'", "self.s"])}).isLessThan(semver('2.0.0'))`,
      (d) => `bool(${this.of("string", d)})`,
      () => `self.?s.hasValue()`,
      () => "sets.contains(self.l, ['a'])",
      (d) =>
        `${this.of("quantity", d)}.${this.#random.pick(["isGreaterThan", "isLessThan"])}(${this.of("quantity", d)})`,
      () => `type(self.ios) == ${this.#random.pick(["int", "string"])}`,
      () => `self.ios == ${this.of(this.#random.pick(["int", "string"]), 0)}`,
      () => `self.nul == null || self.nul != ''`,
      () => `self == oldSelf`,
      () => `self.m.all(k, self.m[k] != ${this.of("string", 0)})`,
      () => `self.free == ${this.#random.pick(["{'a': 1}", "self.free"])}`,
      () => `self.l.all(i, v, i < 3 && v != '')`,
      () => `self.l.transformList(i, v, i > 0, v).size() == ${this.of("int", 0)}`,
    ],
    strings: [
      () => this.of("strings", 0),
      (d) => `${this.of("strings", d)} + ${this.of("strings", d)}`,
      (d) => `${this.of("string", d)}.split(${this.of("string", 0)})`,
      (d) => {
        const x = this.#fresh();
        return `${this.of("strings", d)}.filter(${x}, ${x} != ${this.of("string", 0)})`;
      },
      (d) => {
        const x = this.#fresh();
        return `${this.of("strings", d)}.map(${x}, ${x} + ${this.of("string", 0)})`;
      },
      () => "self.lo.map(e, e.k)",
      (d) => `${this.of("string", d)}.findAll('[a-z]', 2)`,
    ],
    ints: [
      () => this.of("ints", 0),
      (d) => {
        const x = this.#fresh();
        return `${this.of("ints", d)}.map(${x}, ${x} ${this.#random.pick(["+", "*", "/"])} ${this.of("int", 0)})`;
      },
      () => "self.lo.filter(e, has(e.v)).map(e, e.v)",
    ],
    timestamp: [
      () => this.of("timestamp", 0),
      (d) => `timestamp(${this.of("string", d)})`,
      (d) => `${this.of("timestamp", d)} + ${this.of("duration", d)}`,
    ],
    duration: [
      () => this.of("duration", 0),
      (d) => `duration(${this.of("string", d)})`,
      (d) => `${this.of("timestamp", d)} - ${this.of("timestamp", d)}`,
    ],
    quantity: [
      () => this.of("quantity", 0),
      (d) =>
        `${this.of("quantity", d)}.${this.#random.pick(["add", "sub"])}(${this.of("quantity", d)})`,
      (d) => `quantity(${this.of("string", d)})`,
    ],
    any: [
      () => this.of("any", 0),
      (d) => `dyn(${this.of(this.#random.pick(["int", "string"]), d)})`,
    ],
  };

  #macro(depth: number): string {
    const x = this.#fresh();
    const macro = this.#random.pick(["all", "exists", "exists_one"]);
    return this.#random.chance(0.5)
      ? `${this.of("strings", depth)}.${macro}(${x}, ${x} ${this.#random.pick(["==", "!=", "<"])} ${this.of("string", 0)})`
      : `${this.of("ints", depth)}.${macro}(${x}, ${x} ${this.#random.pick(["==", ">", "<"])} ${this.of("int", 0)})`;
  }
}

function rule(random: Random, wrong: number): Json {
  const old = random.chance(0.2);
  const expressions = new Expressions(random, wrong, old);
  const made: Json = { rule: expressions.of("bool", 1 + random.below(3)) };
  if (random.chance(0.2)) made["message"] = random.pick(["must be fine", "no", " x "]);
  if (random.chance(0.25)) made["messageExpression"] = expressions.of("string", 2);
  if (random.chance(0.15))
    made["reason"] = random.pick([
      "FieldValueForbidden",
      "FieldValueRequired",
      "FieldValueDuplicate",
    ]);
  if (random.chance(0.1)) made["fieldPath"] = random.pick([".s", ".o.a", ".m['a']", ".zz", ".lo"]);
  if (random.chance(0.08)) made["optionalOldSelf"] = random.chance(0.7);
  return made;
}

function spec(random: Random): Json {
  const missing = random.pick([0, 0.1, 0.4]);
  return Object.fromEntries(
    Object.entries(VALUES)
      .filter(() => !random.chance(missing))
      .map(([name, values]) => [name, random.pick(values)]),
  );
}

/** Rules that compile and objects that they judge, or rules of which some do not compile. */
export function celScenario(random: Random, id: string): Scenario {
  const wrong = random.chance(0.35) ? 0.12 : 0;
  const rules = Array.from({ length: 1 + random.below(wrong > 0 ? 6 : 3) }, () =>
    rule(random, wrong),
  );
  const fields = structuredClone(SPEC_FIELDS) as Record<string, Json>;
  if (random.chance(0.15))
    for (const name of ["l", "li", "lo", "m"]) delete fields[name]?.["maxItems"];
  if (random.chance(0.3)) {
    const name = random.pick(["s", "i", "l"]);
    const typed = { s: "string", i: "int", l: "strings" } as const;
    const type: Type = typed[name as keyof typeof typed];
    const inner = new Expressions(random, wrong, false)
      .of(type, 1)
      .replaceAll(/self\.\w+/g, "self");
    (fields[name] as Json)["x-kubernetes-validations"] = [{ rule: `self == ${inner}` }];
  }
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: fields, "x-kubernetes-validations": rules } },
  };
  const definition = widgetDefinition([
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
  ]);
  const asked: Step = {
    request: "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
    body: definition,
    pick: ["/reason", "/message", "/details"],
  };
  if (wrong > 0) return { id, title: "rules with mistakes", group: "J", steps: [asked] };
  const objects = "/apis/${group}/v1/namespaces/${ns}/widgets";
  const object = (name: string, version = false): Json => ({
    apiVersion: "${group}/v1",
    kind: "Widget",
    metadata: version ? { name, resourceVersion: "${version}" } : { name },
    spec: spec(random),
  });
  return {
    id,
    title: "rules on a spec, and objects",
    group: "J",
    after: removeDefinition,
    steps: [
      asked,
      ...establish(definition),
      ...Array.from({ length: 5 }, (_, index) => ({
        request: `POST ${objects}`,
        body: object(`a${index}`),
        pick: ["/reason", "/message", "/details"],
      })),
      ...[0, 1, 2].flatMap((index) => [
        {
          request: `GET ${objects}/a${index}`,
          capture: { version: "/metadata/resourceVersion" },
          only: "status",
        },
        {
          request: `PUT ${objects}/a${index}`,
          body: object(`a${index}`, true),
          pick: ["/reason", "/message", "/details"],
        },
      ]),
    ],
  };
}
