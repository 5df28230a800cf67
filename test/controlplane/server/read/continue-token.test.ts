import { describe, expect, it } from "vitest";
import {
  readContinue,
  writeContinue,
} from "../../../../src/controlplane/server/read/continue-token.ts";

const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const point = (more: object): string => token({ v: "meta.k8s.io/v1", rv: 7, start: "/a", ...more });

describe("A token of a list that goes on", () => {
  it.each([true, false])("is read as it was written, cached: %s", (cached) => {
    const written = { version: 7, key: "default/a\u0000" };
    expect(readContinue(writeContinue(written, cached))).toEqual(written);
  });

  // The texts are those of kube-apiserver.
  it.each([
    [token(null), "server does not recognize this encoded version "],
    [point({ v: "v2" }), "server does not recognize this encoded version v2"],
    [point({ rv: 0 }), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
    [point({ start: "" }), "encoded start key empty (version meta.k8s.io/v1)"],
    [point({ start: "../secrets/a" }), "../secrets/a"],
    [point({ start: "/a//b" }), "/a//b"],
    [token([]), "json: cannot unmarshal array into Go value of type storage.continueToken"],
    [
      point({ rv: "1" }),
      "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
    ],
    ["a=", "illegal base64 data at input byte 1"],
  ])("%s is refused", (text, why) => {
    expect(() => readContinue(text)).toThrow(`continue key is not valid: ${why}`);
  });
});
