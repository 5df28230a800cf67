import { describe, expect, it } from "vitest";
import {
  checkDomain,
  checkGroup,
  checkImage,
  checkKind,
  checkPlural,
  checkProjectName,
  checkVersion,
  projectNameOf,
} from "../../../src/cli/project/inputs.ts";
import { UsageError } from "../../../src/errors.ts";

function problemOf(check: () => void): string {
  try {
    check();
  } catch (error) {
    if (error instanceof UsageError) return `${error.code}: ${error.message} ${error.fix}`;
    throw error;
  }
  return "";
}

describe("what users type", () => {
  it.each(["example.com", "a", "my-team.example.org"])("takes the domain %s", (domain) => {
    expect(problemOf(() => checkDomain(domain))).toBe("");
  });

  it.each(["Example.com", "example_com", "-a.com", "", "a..b"])(
    "refuses the domain %j",
    (domain) => {
      expect(problemOf(() => checkDomain(domain))).toMatch(/^bad-domain: .*For example: --domain/);
    },
  );

  it("refuses domains and groups that belong to the Kubernetes project", () => {
    expect(problemOf(() => checkDomain("k8s.io"))).toContain("Kubernetes project");
    expect(problemOf(() => checkGroup("x", "sigs.k8s.io"))).toContain("Kubernetes project");
    expect(problemOf(() => checkDomain("myk8s.io"))).toBe("");
  });

  it("wants a dot in the API group, as the API server does", () => {
    expect(problemOf(() => checkGroup("", "local"))).toContain("must have a dot");
    expect(problemOf(() => checkGroup("web", "local"))).toBe("");
    expect(problemOf(() => checkGroup("", "example.com"))).toBe("");
  });

  it.each(["v1", "v2beta1", "v10alpha12"])("takes the version %s", (version) => {
    expect(problemOf(() => checkVersion(version))).toBe("");
  });

  it.each(["1", "v1.1", "1beta", "v0", "V1", "v1gamma1"])("refuses the version %s", (version) => {
    expect(problemOf(() => checkVersion(version))).toMatch(/^bad-version/);
  });

  it.each(["MyWeb", "A", "HTTPRoute2"])("takes the kind %s", (kind) => {
    expect(problemOf(() => checkKind(kind))).toBe("");
  });

  it.each([
    ["myWeb", "--kind MyWeb"],
    ["My-Web", "--kind MyWeb"],
    ["WebList", "--kind Web"],
    ["Map", "--kind MyMap"],
    ["Condition", "--kind MyCondition"],
  ])("refuses the kind %s and offers another", (kind, offer) => {
    expect(problemOf(() => checkKind(kind))).toContain(offer);
  });

  it("refuses names over 63 characters", () => {
    expect(problemOf(() => checkKind(`A${"b".repeat(63)}`))).toContain("63");
    expect(problemOf(() => checkPlural("b".repeat(64), "example.com"))).toContain("63");
  });

  it("refuses a project name whose derived names would be too long", () => {
    expect(problemOf(() => checkProjectName("a".repeat(28)))).toBe("");
    expect(problemOf(() => checkProjectName("a".repeat(29)))).toContain("no more than 28");
  });

  it("makes a project name of a folder's name", () => {
    expect(projectNameOf("My Operator_2")).toBe("my-operator-2");
    expect(projectNameOf("2nd")).toBe("nd");
  });

  it.each([
    "nginx",
    "nginx:1.27",
    "ghcr.io/me/op:0.1.0",
    "localhost:5000/op@sha256:" + "a".repeat(64),
  ])("takes the image %s", (image) => {
    expect(problemOf(() => checkImage(image))).toBe("");
  });

  it.each(["", "UPPER", "a b", "nginx:", "nginx@sha256:1"])("refuses the image %j", (image) => {
    expect(problemOf(() => checkImage(image))).toMatch(/^bad-image/);
  });
});
