import { expect, test } from "vitest";
import { Check } from "../../src/kube/check.ts";
import { formatFieldError } from "../../src/kube/field-errors.ts";

interface Shape {
  name?: string;
  spec?: { ports?: { name?: string; number?: number }[]; sizes?: Record<string, number> };
}

const errorsOf = (shape: Shape, check: (value: Check<Shape>) => void): string[] =>
  Check.errorsOf(shape, check).map(formatFieldError);

test("errors stand at their paths, in the order in which they were found", () => {
  const shape = {
    spec: { ports: [{ name: "a" }, { name: "a", number: 0 }], sizes: { "x/y": -1 } },
  };
  const errors = errorsOf(shape, (value) => {
    value.at("name").given("each shape has one");
    value.at("spec", "ports").each((port) => {
      if (port.at("number").given()) port.at("number").invalid("must be positive");
    });
    value.at("spec", "ports").unique(({ name }) => name);
    value.at("spec", "sizes").eachEntry((size, key) => {
      size.invalid(`${key} must not be negative`);
    });
  });
  expect(errors).toEqual([
    "name: Required value: each shape has one",
    "spec.ports[0].number: Required value",
    "spec.ports[1].number: Invalid value: 0: must be positive",
    'spec.ports[1]: Duplicate value: "a"',
    "spec.sizes[x/y]: Invalid value: -1: x/y must not be negative",
  ]);
});

test("a list or a map that is absent has nothing to validate", () => {
  expect(
    errorsOf({}, (value) => {
      value.at("spec", "ports").each((port) => port.required());
      value.at("spec", "sizes").eachEntry((size) => size.required());
      value.at("spec", "ports").unique();
    }),
  ).toEqual([]);
});

test("rules of names and of words see an absent text as the empty one", () => {
  expect(
    errorsOf({}, (value) => {
      value.at("name").oneOf(["A", "B"]);
      value.at("name").named((name) => [`${name.length} characters are too few`]);
      value.at("name").unchanged("old");
    }),
  ).toEqual([
    'name: Unsupported value: "": supported values: "A", "B"',
    'name: Invalid value: "": 0 characters are too few',
    "name: Invalid value: null: field is immutable",
  ]);
});
