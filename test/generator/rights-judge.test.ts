/** Random reconcilers run with the role that the generator infers; `npm run verify -- rights` judges as many as one likes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWrong, judgeMany } from "./rights-judge/campaign.ts";
import { RightsJudge, textOf, type Verdict } from "./rights-judge/judge.ts";
import { rightsFor } from "./rights-judge/needed.ts";
import { type Deed, PLAIN, type Project, write } from "./rights-judge/project.ts";
import { PLAIN_DEED, straight } from "./rights-judge/random.ts";
import { Ground, rulesIn } from "./rights-judge/run.ts";

const COUNT = 12;
const SEED = 1;

let judge: RightsJudge;
beforeAll(async () => {
  judge = await RightsJudge.start();
});
afterAll(() => judge[Symbol.asyncDispose]());

const projectOf = (...deeds: Partial<Deed>[]): Project => ({
  ...PLAIN,
  deeds: deeds.map((deed) => ({ ...PLAIN_DEED, ...deed })),
});

/** What a verdict is about, without the rights that every project needs. */
const summary = ({ missing, unused, granted, warnings, mistakes }: Verdict): object => ({
  missing: missing.map(({ right, announced }) => `${right}: ${announced}`),
  unused,
  granted: granted.filter((right) => !/ (?:events|pages)/.test(right)),
  warnings: warnings.map(textOf),
  mistakes,
});

describe("random reconcilers", () => {
  it(`lack no right of which no warning tells: ${COUNT} from seed ${SEED} on`, async () => {
    const told: object[] = [];
    const figures = await judgeMany(
      judge,
      { seed: SEED, count: COUNT },
      {
        failed: ({ seed, project, verdict }) => told.push({ seed, project, ...summary(verdict) }),
        changed: (changed) => told.push(changed),
      },
    );
    expect(told).toEqual([]);
    expect(figures.projects).toBe(COUNT);
    expect(figures.granted).toBeGreaterThan(COUNT);
  });
});

describe("the judge of rights", () => {
  it("finds neither a missing nor a needless right in a plain reconciler", async () => {
    const verdict = await judge.judge(projectOf({ operation: "update", kind: "Deployment" }));
    expect(summary(verdict)).toEqual({
      missing: [],
      unused: [],
      granted: ["get deployments.apps", "update deployments.apps"],
      warnings: [],
      mistakes: [],
    });
    expect(isWrong(verdict)).toBe(false);
  });

  it("calls what does not compile a mistake of its own", async () => {
    const { mistakes } = await judge.judge({ ...projectOf({}), host: "nothing" });
    expect(mistakes).toEqual([expect.stringContaining("there is no route nothing")]);
  });

  it("takes detours away, and leaves what needs other rights", () => {
    const detour = projectOf({ callRoute: "a class", kindRoute: "a list", kind: "Pod" });
    expect(straight(detour)).toEqual(projectOf({ kind: "Pod" }));
    expect(straight(projectOf({ kindRoute: "a condition" }))).toBeUndefined();
  });

  it("reads the rules of roles", () => {
    const rule = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] };
    expect(rulesIn(JSON.stringify({ kind: "ClusterRole", rules: [rule] }))).toEqual([rule]);
    expect(rulesIn("")).toEqual([]);
  });

  it("knows the line of a refused request", async () => {
    const project = projectOf({ operation: "get", callRoute: "a function of another file" });
    const empty = write({ ...PLAIN, deeds: [] });
    expect([...empty.keys()]).toContain("src/page.ts");
    const ground = await Ground.start([
      PAGES,
      PAGES.replaceAll(/page/g, "widget").replaceAll("Page", "Widget"),
    ]);
    try {
      const everything = { apiGroups: ["web.example.com"], resources: ["*"], verbs: ["*"] };
      const files = write(project);
      const { requests, loaded, errors } = await ground.run(files, [everything]);
      expect(errors).toEqual([]);
      const refused = requests.find(({ status }) => status === 403);
      expect(refused?.path).toBe("/api/v1/namespaces/default/secrets/first");
      const [helper = "", controller = ""] = loaded.linesOf(refused?.stack ?? "");
      expect([lineAt(files, helper), lineAt(files, controller)]).toEqual([
        "await client.get(kind, key);",
        "await helpers.run1(client, Secret, key);",
      ]);
    } finally {
      await ground.stop();
    }
  });
});

/** The text of a line such as `src/main.ts:7`. */
function lineAt(files: ReadonlyMap<string, string>, place: string): string | undefined {
  const [path = "", line] = place.split(":");
  return files.get(path)?.split("\n")[Number(line) - 1]?.trim();
}

const PAGES = JSON.stringify({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "pages.web.example.com" },
  spec: {
    group: "web.example.com",
    names: { kind: "Page", plural: "pages", singular: "page", listKind: "PageList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
});

describe("the rights that requests need", () => {
  const CASES: readonly (readonly [
    method: string,
    target: string,
    status: number,
    rights: readonly string[],
  ])[] = [
    ["GET", "/api/v1/namespaces/a/secrets/b", 200, ["get secrets"]],
    ["GET", "/api/v1/secrets", 200, ["list secrets"]],
    ["GET", "/apis/apps/v1/namespaces/a/deployments?watch=true", 200, ["watch deployments.apps"]],
    ["POST", "/apis/apps/v1/namespaces/a/deployments", 201, ["create deployments.apps"]],
    ["PUT", "/api/v1/namespaces/a", 200, ["update namespaces"]],
    ["GET", "/api/v1/namespaces", 200, ["list namespaces"]],
    ["PUT", "/api/v1/namespaces/a/status", 200, ["update namespaces/status"]],
    ["PATCH", "/api/v1/namespaces/a/secrets/b", 200, ["patch secrets"]],
    ["PATCH", "/api/v1/namespaces/a/secrets/b", 201, ["patch secrets", "create secrets"]],
    ["DELETE", "/api/v1/namespaces/a/secrets", 200, ["deletecollection secrets"]],
    ["DELETE", "/api/v1/nodes/b", 200, ["delete nodes"]],
    ["GET", "/apis/apps/v1/namespaces/a/deployments/b/scale", 200, ["get deployments.apps/scale"]],
    ["POST", "/api/v1/namespaces/a/pods/b/eviction", 201, ["create pods/eviction"]],
    [
      "GET",
      "/api/v1/namespaces/a/pods/b/exec?command=ls",
      400,
      ["get pods/exec", "create pods/exec"],
    ],
    ["GET", "/version", 200, []],
    ["GET", "/apis/apps/v1", 200, []],
    ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 201, []],
  ];

  it.each(CASES)("%s %s with %i", (method, target, status, rights) => {
    const { pathname: path, searchParams: query } = new URL(target, "http://server");
    const observed = { method, path, query, status, body: "", stack: "", message: "" };
    expect(rightsFor(observed)).toEqual(rights);
  });
});
