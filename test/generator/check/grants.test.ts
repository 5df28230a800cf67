import { describe, expect, it } from "vitest";
import { generateFrom, told } from "./mistakes-table.ts";

const program = (rule: string): Readonly<Record<string, string>> => ({
  "controller.ts": `import { Rbac } from "tsop";\n@Rbac(${rule})\nexport class Controller {}\n`,
});

describe("an @Rbac that grants nothing", () => {
  for (const [rule, code, message] of [
    [
      '{ groups: ["apps"], resources: ["pods"], verbs: ["get"] }',
      "wrong-rbac",
      "The group apps has no resource pods",
    ],
    [
      '{ groups: [""], resources: ["deployments/scale"], verbs: ["get"] }',
      "wrong-rbac",
      "The core group has no resource deployments",
    ],
    [
      '{ groups: ["apps"], resources: ["deploymnets"], verbs: ["get"] }',
      "unknown-resource",
      "The group apps has no resource deploymnets",
    ],
    [
      '{ groups: [""], resources: ["Pods"], verbs: ["get"] }',
      "wrong-rbac",
      '"Pods" is not the name of a resource',
    ],
    [
      '{ groups: ["apps/v1"], resources: ["deployments"], verbs: ["get"] }',
      "wrong-rbac",
      '"apps/v1" is not a valid API group',
    ],
    [
      '{ groups: [""], resources: ["pods"], verbs: [] }',
      "wrong-rbac",
      "@Rbac does not grant any verb",
    ],
    ['{ resources: ["pods"], verbs: ["get"] }', "wrong-rbac", "without their groups"],
    ['{ urls: ["metrics"], verbs: ["get"] }', "wrong-rbac", '"metrics" is not a URL path'],
    ['{ urls: ["/a/*/b"], verbs: ["get"] }', "wrong-rbac", '"/a/*/b" is not a URL path'],
    [
      '{ urls: ["/metrics"], resources: ["pods"], groups: [""], verbs: ["get"] }',
      "wrong-rbac",
      "resources and urls in one rule",
    ],
    ['{ urls: ["/metrics"], verbs: ["get"], namespace: "a" }', "wrong-rbac", "cannot grant urls"],
    [
      '{ groups: [""], resources: ["pods"], verbs: ["get"], namespace: "My_Space" }',
      "wrong-rbac",
      '"My_Space" is not a valid name of a namespace',
    ],
    [
      '{ groups: [""], resources: ["pods"], verbs: ["get"], roleName: "a/b" }',
      "wrong-rbac",
      '"a/b" is not a valid name of a role',
    ],
  ] as const) {
    it(`is told at its line: ${rule}`, async () => {
      const generated = await generateFrom(program(rule));
      expect(told(generated)).toContainEqual(expect.stringContaining(`2 ${code}: `));
      expect(told(generated).join("\n")).toContain(message);
      expect(generated.files.size === 0).toBe(code === "wrong-rbac");
    });
  }

  for (const rule of [
    '{ groups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create"] }',
    '{ groups: ["", "apps"], resources: ["pods", "deployments"], verbs: ["get"] }',
    '{ groups: ["core"], resources: ["pods/log", "pods/exec", "*/scale"], verbs: ["get"] }',
    '{ groups: ["*"], resources: ["*"], verbs: ["*"] }',
    '{ groups: ["shop.example.com"], resources: ["widgets/finalizers"], verbs: ["update"] }',
    '{ groups: ["metrics.k8s.io"], resources: ["pods"], verbs: ["get"] }',
    '{ urls: ["/metrics", "/healthz/*", "*"], verbs: ["get"] }',
    '{ groups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: ["get"] }',
  ]) {
    it(`is not seen where there is none: ${rule}`, async () => {
      expect(told(await generateFrom(program(rule)))).toEqual([]);
    });
  }
});
