import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileExpression, Expression } from "../../../src/kube/cel/compile.ts";
import { kubernetesEnvironment } from "../../../src/kube/cel/libraries.ts";
import { formatType, INT, listOf, mapOf, STRING } from "../../../src/kube/cel/types.ts";
import { CelError } from "../../../src/kube/cel/values.ts";
import syntaxErrors from "./syntax-errors.json" with { type: "json" };

const environment = kubernetesEnvironment.withVariables({
  x: INT,
  s: STRING,
  l: listOf(INT),
  m: mapOf(STRING, INT),
});
const values = new Map<string, bigint | string>([
  ["x", 7n],
  ["s", "héllo"],
]);

function compiled(source: string): Expression {
  const expression = compileExpression(source, environment);
  if (expression instanceof Expression) return expression;
  throw new Error(expression.message);
}

function evaluate(source: string): unknown {
  const { result } = compiled(source).evaluate((name) => values.get(name));
  return result instanceof CelError ? `error: ${result.message}` : result;
}

function messageOf(source: string): string {
  const expression = compileExpression(source, environment);
  return expression instanceof Expression ? "" : (expression.message.split("\n")[0] ?? "");
}

describe("Syntax errors", () => {
  // The texts are those of an API server of 1.36.
  it.each(Object.entries(syntaxErrors))("of %j are told as by the API server", (source, text) => {
    const failure = compileExpression(source, kubernetesEnvironment);
    expect(failure instanceof Expression ? "" : failure.message).toBe(text);
  });

  it("are found in any text, and never by an exception", () => {
    const piece = fc.constantFrom(
      ...Array.from("()[]{}.,:?+-!&|=<>'\"\\\n aéx1uin"),
      "a.b",
      "0x",
      "in",
      "r'",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = compileExpression(pieces.join(" "), environment);
        if (!(result instanceof Expression)) expect(result.message).toMatch(/^ERROR: <input>:\d+:/);
      }),
    );
  });
});

describe("Types", () => {
  it.each([
    ["x + 1", "int"],
    ["x > 1 ? [s] : []", "list(string)"],
    ["l.map(i, string(i))", "list(string)"],
    ["{s: x}", "map(string, int)"],
    ["m[?s]", "optional_type(int)"],
    ["quantity('1').add(1)", "kubernetes.Quantity"],
    ["type(x)", "type(int)"],
    ["dyn(x)", "dyn"],
  ])("%s is of %s", (source, type) => {
    expect(formatType(compiled(source).type)).toBe(type);
  });

  it.each([
    ["y", "ERROR: <input>:1:1: undeclared reference to 'y' (in container '')"],
    [
      "x + s",
      "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'",
    ],
    [
      "s.size(1)",
      "ERROR: <input>:1:7: found no matching overload for 'size' applied to 'string.(int)'",
    ],
    ["x.a", "ERROR: <input>:1:2: type 'int' does not support field selection"],
    [
      "x.all(i, true)",
      "ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["has(x)", "ERROR: <input>:1:5: invalid argument to has() macro"],
  ])("%s is refused", (source, message) => {
    expect(messageOf(source)).toBe(message);
  });
});

describe("Values", () => {
  it.each<[string, unknown]>([
    ["x / 2", 3n],
    ["-7 % 4", -3n],
    ["7u / 2u == 3u", true],
    ["1 < 1.5 && 2u > 1", true],
    ["9223372036854775807 + 1", "error: integer overflow"],
    ["x / 0", "error: division by zero"],
    ["x / 0 > 1 || true", true],
    ["false && x / 0 > 1", false],
    ["s.size()", 5n],
    ["[1, 2, 3].filter(i, i > 1) == [2, 3]", true],
    ["[1, 2].exists_one(i, i == 2)", true],
    ["{'a': 1}.all(k, k == 'a')", true],
    ["{'a': 1}['b']", "error: no such key: b"],
    ["[1][1]", "error: index out of bounds: 1"],
    ["{'a': 1}[?'b'].orValue(5)", 5n],
    ["optional.none().hasValue()", false],
    ["int('12') + int(1.9)", 13n],
    ["string(1.5) + string(true)", "1.5true"],
    ["b'a\\xff'.size()", 2n],
    ["timestamp('2024-02-29T12:00:00Z').getDayOfYear()", 59n],
    [
      "timestamp('2024-01-01T00:00:00Z') + duration('1h30m')  == timestamp('2024-01-01T01:30:00Z')",
      true,
    ],
    ["string(duration('90s'))", "90s"],
    ["'abc'.matches('^a.c$')", true],
    ["'a-b-c'.split('-', 2) == ['a', 'b-c']", true],
    ["'%s has %d'.format(['x', 3])", "x has 3"],
    ["[3, 1, 2].sort() == [1, 2, 3]", true],
    ["[1, 2].sum() + [4, 3].max()", 7n],
    ["sets.contains([1, 2], [2])", true],
    ["quantity('1500m').compareTo(quantity('1.5'))", 0n],
    ["quantity('1Gi').isGreaterThan(quantity('1G'))", true],
    ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
    ["ip('::1').isLoopback()", true],
    ["isIP('10.0.0.256')", false],
    ["url('https://a.example:80/p?q=1').getHostname()", "a.example"],
    ["semver('1.2.3').isLessThan(semver('1.10.0'))", true],
    ["format.dns1123Label().validate('a-b') == optional.none()", true],
    ["'abc 123'.find('[0-9]+')", "123"],
  ])("%s", (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  it("agree with whole numbers of 64 bits", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const sum = compiled("x + y".replace("y", b < 0n ? `(${b})` : String(b)));
        const { result } = sum.evaluate(() => a);
        const fits = BigInt.asIntN(64, a + b) === a + b;
        if (fits) expect(result).toBe(a + b);
        else expect((result as CelError).message).toBe("integer overflow");
      }),
    );
  });
});

describe("Costs", () => {
  it.each([
    ["x", 1],
    ["x > 5", 2],
    ["s.startsWith('h')", 2],
  ])("%s costs %d", (source, cost) => {
    expect(compiled(source).evaluate((name) => values.get(name)).cost).toBe(cost);
  });

  it("end an evaluation that costs too much", () => {
    const source = "[1, 2, 3].all(i, [1, 2, 3].all(j, i + j > 0))";
    const { stopped } = compiled(source).evaluate(() => undefined, 20);
    expect(stopped).toBe(true);
  });

  it("are never more than was estimated", () => {
    const source = "s.size() > 3 && s.matches('^h.*o$') && s.split('l').size() > 1";
    const expression = compiled(source);
    const estimate = expression.estimateCost(() => ({ min: 0, max: 10 }));
    const { cost } = expression.evaluate((name) => values.get(name));
    expect(cost).toBeLessThanOrEqual(estimate.max);
  });
});
