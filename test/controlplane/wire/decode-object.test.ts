import { describe, expect, it } from "vitest";
import { bodyForm } from "../../../src/controlplane/wire/bodies/open.ts";
import type { ExpectedKind } from "../../../src/controlplane/wire/decode-kind.ts";
import { decodeObject } from "../../../src/controlplane/wire/decode-object.ts";
import { decodePatch, openPatch } from "../../../src/controlplane/wire/decode-patch.ts";
import { StatusError } from "../../../src/kube/status.ts";
import { coerceEmbedded } from "../../../src/kube/schema/embedded.ts";
import { prune } from "../../../src/kube/schema/prune.ts";
import { describeShared } from "../../support/shared.ts";
import { type RecordedStep, Resources, recordedScenarios } from "../recordings.ts";

const configMap: ExpectedKind = { group: "", version: "v1", kind: "ConfigMap", builtIn: true };
const widget: ExpectedKind = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  builtIn: false,
};
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "decoded";
}

describe("decodeObject", () => {
  const read = (text: string, type = "application/json") =>
    decodeObject(bytesOf(text), bodyForm(type), configMap, "Warn");

  it("fills in a built-in kind's type, and drops null and unknown fields with a warning", () => {
    const { object, warnings } = read(
      '{"metadata":{"name":"a","labels":null},"data":{"k":null},"more":1,"data":{"l":null}}',
    );
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { k: "", l: "" },
    });
    expect(warnings).toEqual(['unknown field "more"', 'duplicate field "data"']);
  });

  it("puts what comes again into what was there: maps and structs are filled, lists item by item", () => {
    const { object } = read(
      '{"metadata":{"name":"a","labels":{"x":"1"},"finalizers":["a/b","c/d"]},"data":{"k":"1","l":"2"},' +
        '"metadata":{"labels":{"y":"2"},"finalizers":["e/f"]},"data":{"l":"3"}}',
    );
    expect(object).toMatchObject({
      metadata: { name: "a", labels: { x: "1", y: "2" }, finalizers: ["e/f"] },
      data: { k: "1", l: "3" },
    });
  });

  it("reads YAML 1.1", () => {
    const { object } = read(
      "metadata: {name: a, annotations: &x {k: '1'}}\ndata:\n  <<: *x\n  multi: |\n    a\n    b\n  date: 2024-01-02\n",
      "application/yaml",
    );
    expect(object).toMatchObject({ data: { k: "1", multi: "a\nb\n", date: "2024-01-02" } });
  });

  it("never touches a prototype", () => {
    const { object } = read('{"data":{"__proto__":"x"},"__proto__":{"polluted":true}}');
    expect("polluted" in object).toBe(false);
    expect(Object.keys((object as unknown as { data: object }).data)).toEqual(["__proto__"]);
  });

  it("refuses nesting that would exhaust the stack, and aliases that would exhaust the memory", () => {
    expect(messageOf(() => read("[".repeat(100_000)))).toContain("exceeded max depth");
    const laughs = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
    for (let n = 1; n < 9; n++) laughs.push(`a${n}: &a${n} [${`*a${n - 1},`.repeat(10)}]`);
    expect(messageOf(() => read(laughs.join("\n"), "application/yaml"))).toContain(
      "excessive aliasing",
    );
  });

  it("keeps whole numbers of custom resources exact up to 64 bits, in JSON and in YAML", () => {
    const numbers = "[9007199254740993, -9223372036854775808, 9223372036854775808, 1e16, 1.0, -0]";
    const exact = [9_007_199_254_740_993n, -(2n ** 63n), 2 ** 63, 1e16, 1, 0];
    const body = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{},"spec":${numbers}}`;
    const json = decodeObject(Buffer.from(body), "json", widget, "Strict");
    expect(json.object).toMatchObject({ spec: exact });
    const yaml = decodeObject(Buffer.from(body), "yaml", widget, "Strict");
    // On its way through YAML a float loses its exponent, and is an integer then.
    expect(yaml.object).toMatchObject({ spec: exact.with(3, 10n ** 16n) });
    const infinite = body.replace("1e16", "1e400");
    expect(() => decodeObject(Buffer.from(infinite), "json", widget, "Strict")).toThrow(
      "json: cannot unmarshal number 1e400 into Go value of type float64",
    );
    expect(messageOf(() => decodePatch(openPatch(bytesOf('{"spec":1e400}')), "merge"))).toMatch(
      /^400 /,
    );
  });

  it("says 415 for another media type", () => {
    expect(messageOf(() => read("{}", "application/json;;"))).toMatch(/^415 /);
    expect(messageOf(() => read("{}", "application/json; charset=utf-8"))).toBe("decoded");
  });
});

/** A recorded message as a pattern: what it masks may be anything. */
const patternOf = (message: string): RegExp =>
  new RegExp(
    `^${message
      .split(/<(?:masked|time|microtime|uid)>/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*")}$`,
  );

function contentOf({ body, text, base64 }: RecordedStep): Uint8Array {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  return Buffer.from(text ?? (body === undefined ? "" : JSON.stringify(body)));
}

describeShared("conformance", "decodeObject against the recordings", () => {
  it.each(["B-crud", "C-options", "M-builtins", "M-config", "F-status"])(
    "takes and refuses what %s shows, in its words",
    (name) => {
      const wrong: string[] = [];
      let count = 0;
      for (const { id, steps } of recordedScenarios(name)) {
        const resources = new Resources();
        for (const [at, step] of steps.entries()) {
          const { request = "", headers = {}, answer } = step;
          if (answer?.body?.kind === "CustomResourceDefinition") resources.learn(answer.body);
          const [method = "", url = ""] = request.split(" ");
          const [path = "", search = ""] = url.split("?");
          const query = new URLSearchParams(search);
          if (
            !answer ||
            !/^(POST|PUT)$/.test(method) ||
            /\/(scale|token|eviction|binding)$/.test(path)
          )
            continue;
          const resource = resources.ofPath(path);
          if (!resource) continue;
          // A captured value as the body, and what was refused before it was read, say nothing here.
          if (/^"\$\{/.test(Buffer.from(contentOf(step)).toString()) || answer.status === 422)
            continue;
          const told = String(answer.body?.message ?? "");
          if (answer.status === 400 && told === "") continue;
          const isRefused =
            [400, 415].includes(answer.status) &&
            /cannot be handled as|is unrecognized|API version in the data|unknown format/.test(
              told,
            );
          const validation = query.get("fieldValidation") ?? "";
          if (!["", "Ignore", "Warn", "Strict"].includes(validation)) continue;
          const type =
            Object.entries(headers).find(([key]) => /^content-type$/i.test(key))?.[1] ?? "";
          const got = messageOf(() => {
            const { refusal } = decodeObject(
              contentOf(step),
              bodyForm(type),
              {
                ...resource,
                ...(resource.builtIn
                  ? {}
                  : {
                      dropUnknown: (object) => {
                        const { unknown } = coerceEmbedded(object, resource.schema);
                        return [
                          ...prune(object, resource.schema, { root: true }),
                          ...unknown,
                        ].sort();
                      },
                    }),
              },
              (validation || "Warn") as "Warn",
            );
            if (refusal) throw refusal;
          });
          count++;
          const matches = isRefused
            ? patternOf(`${answer.status} ${told}`).test(got)
            : got === "decoded";
          if (!matches)
            wrong.push(
              `${id}/${at} ${request}\n  got  ${got}\n  want ${answer.status} ${isRefused ? told : "decoded"}`,
            );
        }
      }
      expect(count).toBeGreaterThan(10);
      expect(wrong).toEqual([]);
    },
  );
});
