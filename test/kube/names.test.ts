import { describe, expect, it } from "vitest";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  maskTrailingDash,
  pathSegmentErrors,
  qualifiedNameErrors,
} from "../../src/kube/names.ts";

describe("names", () => {
  it("takes subdomains of up to 253 bytes", () => {
    expect(dns1123SubdomainErrors("a.b-c.9")).toEqual([]);
    expect(dns1123SubdomainErrors("a".repeat(253))).toEqual([]);
    expect(dns1123SubdomainErrors("a".repeat(254))).toEqual([
      "must be no more than 253 characters",
    ]);
    expect(dns1123SubdomainErrors("My_Web")).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
  });

  it("says that a label must not contain dots when that is all that is wrong", () => {
    expect(dns1123LabelErrors("a.b")).toEqual(["must not contain dots"]);
    expect(dns1123LabelErrors("-a")).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  it("wants a letter first in a DNS-1035 label", () => {
    expect(dns1035LabelErrors("a1")).toEqual([]);
    expect(dns1035LabelErrors("1a")).toHaveLength(1);
    expect(dns1035LabelErrors("a\n")).toHaveLength(1);
  });

  it("keeps path segments free of what URLs need", () => {
    expect(pathSegmentErrors("system:admin")).toEqual([]);
    expect(pathSegmentErrors("..")).toEqual(["may not be '..'"]);
    expect(pathSegmentErrors("..", true)).toEqual([]);
    expect(pathSegmentErrors("a/b%")).toEqual(["may not contain '/'", "may not contain '%'"]);
  });

  it("splits a qualified name into prefix and name", () => {
    expect(qualifiedNameErrors("example.com/MyName")).toEqual([]);
    expect(qualifiedNameErrors("/x")).toEqual(["prefix part must be non-empty"]);
    expect(qualifiedNameErrors("a/b/c")).toHaveLength(1);
    expect(qualifiedNameErrors(`a/${"x".repeat(64)}`)).toEqual([
      "name part must be no more than 63 bytes",
    ]);
    expect(qualifiedNameErrors("")).toHaveLength(2);
  });

  it("counts bytes, not characters", () => {
    expect(labelValueErrors("ü".repeat(32))).toContain("must be no more than 63 bytes");
  });

  it("reads a generateName as if a letter followed", () => {
    expect(maskTrailingDash("web-")).toBe("wea");
    expect(maskTrailingDash("-")).toBe("-");
  });
});
