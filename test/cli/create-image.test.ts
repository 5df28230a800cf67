import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

const KIND = ["--group", "web", "--version", "v1", "--kind", "Runner"];

describe("create api --image", () => {
  it("writes a spec with the image, and a controller that runs it; delete takes all of it back", async () => {
    const root = await newProject();
    const before = filesIn(root);
    const image = "registry.example.com/nginx:1.29@sha256:" + "0".repeat(64);
    const { code, err } = await runCli(root, [
      "create",
      "api",
      ...KIND,
      "--image",
      image,
      "--field",
      "port:int?",
    ]);
    expect([code, err]).toEqual([0, ""]);
    const read = (path: string): string => readFileSync(join(root, path), "utf8");
    expect(read("src/api/v1/runner.ts")).toContain(`image: string = "${image}";`);
    expect(read("src/api/v1/runner.ts")).toContain("replicas: Int32 = 1;");
    expect(read("src/api/v1/runner.ts")).toContain("port?: Int32;");
    expect(read("config/samples/web_v1_runner.yaml")).toContain(`image: ${image}`);
    expect(read("src/controllers/runner-controller.ts")).toContain(".owns(Deployment)");
    expect((await runCli(root, ["manifests"])).err).toBe("");
    expect(read("config/rbac/role.yaml")).toContain("deployments");
    await runCli(root, ["delete", "api", ...KIND]);
    expect(filesIn(root)).toEqual(before);
  });

  it.each([
    [["--image", "nginx", "--no-controller"], "image-without-kind"],
    [["--image", "nginx", "--no-resource"], "image-without-kind"],
    [["--image", "Not An Image"], "bad-image"],
  ])("is refused with %j", async (flags, code) => {
    const root = await newProject();
    const before = filesIn(root);
    const result = await runCli(root, ["create", "api", ...KIND, ...flags]);
    expect([result.code, result.err]).toEqual([2, expect.stringContaining(code)]);
    expect(filesIn(root)).toEqual(before);
  });
});

describe("create controller", () => {
  it("is what delete controller took away", async () => {
    const root = await newProject();
    await runCli(root, ["create", "api", ...KIND]);
    const before = filesIn(root);
    await runCli(root, ["delete", "controller", ...KIND]);
    expect(filesIn(root)["src/controllers/runner-controller.ts"]).toBeUndefined();
    const { code, err } = await runCli(root, ["create", "controller", ...KIND]);
    expect([code, err]).toEqual([0, ""]);
    const after = filesIn(root);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after["src/controllers/runner-controller.ts"]).toBe(
      before["src/controllers/runner-controller.ts"],
    );
    expect(after["src/main.ts"]).toBe(before["src/main.ts"]);
  });

  it("is of a built-in kind, too, and needs a class of any other", async () => {
    const root = await newProject();
    const deployment = ["--group", "apps", "--version", "v1", "--kind", "Deployment"];
    expect((await runCli(root, ["create", "controller", ...deployment])).code).toBe(0);
    const none = await runCli(root, ["create", "controller", ...KIND]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("no-class")]);
  });
});
