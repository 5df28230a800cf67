import { expect, it } from "vitest";
import { secretData, secretText } from "../../../src/index.ts";

it("texts are in a Secret as kubectl puts them there", () => {
  // kubectl create secret generic s --from-literal=a=ä€ --from-literal=empty= --dry-run=client -o jsonpath='{.data}'
  expect(secretData({ a: "ä€", empty: "" })).toEqual({ a: "w6Tigqw=", empty: "" });
});

it("texts come out as they went in; a key that is not there is none", () => {
  const data = secretData({ a: "line\nä€", empty: "" });
  expect(["a", "empty", "b", "toString"].map((key) => secretText({ data }, key))).toEqual([
    "line\nä€",
    "",
    undefined,
    undefined,
  ]);
  expect(secretText({}, "a")).toBeUndefined();
});
