/** From an empty folder to a tested operator, in the README's own words. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Newcomer } from "./support/newcomer.ts";

const MAX_FILES = 36;

/** The lines of the README's first shell block, comments cut off. */
function readmeLines(): string[] {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const block = /```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  return block.split("\n").flatMap((line) => line.replace(/ +#.*$/, "").trim() || []);
}

describe("a newcomer", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
  }, 300_000);
  afterAll(() => newcomer.leave());

  it("follows the README word for word, from an empty folder to a running operator", async () => {
    let folder = newcomer.home;
    const done: string[] = [];
    for (const line of readmeLines()) {
      done.push(line);
      if (line.startsWith("cd ")) {
        folder = join(folder, line.slice(3));
      } else if (line === "npx tsop dev") {
        const dev = newcomer.start(line, folder);
        await dev.waitFor(/controller started/);
        expect(await dev.stop()).toMatchObject({ code: 0 });
      } else {
        await newcomer.succeed(line, folder);
      }
    }
    expect(done.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      "npx tsop init",
      "cd web-operator",
      "npx tsop create",
      "npx tsop manifests",
      "npm test",
      "npx tsop dev",
    ]);
    expect(Object.keys(newcomer.filesIn(folder)).length).toBeLessThanOrEqual(MAX_FILES);
  });

  it("finds that the same commands change nothing the second time", async () => {
    const folder = join(newcomer.home, "web-operator");
    const before = newcomer.filesIn(folder);
    const create = readmeLines().find((line) => line.includes("create api")) ?? "";
    expect(await newcomer.succeed(create, folder)).toContain("nothing to change");
    expect(await newcomer.succeed("npx tsop manifests", folder)).toContain("nothing to change");
    expect(await newcomer.succeed("npx tsop manifests --check", folder)).toContain("nothing");
    expect(newcomer.filesIn(folder)).toEqual(before);
  });

  it("is told of drift after an edit, sees it, and mends it", async () => {
    const folder = join(newcomer.home, "web-operator");
    const types = join(folder, "src/api/v1/myweb.ts");
    const text = readFileSync(types, "utf8");
    writeFileSync(types, text.replace("  image!: string;", "  image!: string;\n  zone?: string;"));
    const edited = newcomer.filesIn(folder);

    const check = await newcomer.run("npx tsop manifests --check", folder);
    expect([check.code, check.err]).toEqual([3, expect.stringContaining("drift 1 of")]);
    const shown = await newcomer.succeed("npx tsop manifests --dry-run --diff", folder);
    expect(shown).toContain("+              zone:");
    expect(newcomer.filesIn(folder)).toEqual(edited);

    await newcomer.succeed("npx tsop manifests", folder);
    await newcomer.succeed("npx tsop manifests --check", folder);
  });

  it("uses every flag, and all of it compiles, lints and passes its tests", async () => {
    const folder = join(newcomer.home, "shop");
    const tsop = (line: string): Promise<string> => newcomer.succeed(`npx tsop ${line}`, folder);
    await newcomer.succeed(
      "npx tsop init shop --domain example.com --owner 'Jane O\"Hara' --license mit --namespaced",
    );
    const fields = [
      "title:string=hello",
      "subtitle:string?",
      "copies:int=3",
      "bytes:long?",
      "ratio:number?",
      "on:bool=true",
      "size:quantity=1Gi",
      "every:duration=30s",
      "at:time?",
      "surge:intOrString=25%",
      "labels:map?",
      "tags:string[]?",
      "mode:enum(fast|slow)=fast",
      "modes:enum(a|b)[]?",
    ].map((field) => `--field '${field}'`);
    const page = `create api --group web --version v1 --kind Page ${fields.join(" ")}`;
    await tsop(page);
    await tsop("create api --group web --version v2 --kind Page --field title:string");
    await tsop("create api --group web --version v1beta1 --kind HTTPRoute --plural httproutes");
    await tsop("create api --group web --version v1 --kind Bare --no-controller");
    await tsop("create controller --group web --version v1 --kind Bare");
    await tsop("create api --group web --version v1 --kind Runner --image nginx:1.29");
    await tsop("create api --group web --version v1 --kind Zone --scope Cluster");
    await tsop("create webhook --group web --version v1 --kind Zone --validation");
    await tsop("create api --group news --version v1 --kind Runner");
    await tsop("create webhook --group news --version v1 --kind Runner --defaulting --validation");
    await tsop("create webhook --group web --version v1 --kind Runner --defaulting --validation");
    // A class that is not there cannot have a controller.
    const none = await newcomer.run(
      "npx tsop create api --group web --version v1 --kind Gone --no-resource",
      folder,
    );
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("no-class")]);

    writeFileSync(join(folder, "src/api/v1/page.ts"), "// mine\n");
    expect(await tsop(page)).toContain("nothing to change");
    expect(readFileSync(join(folder, "src/api/v1/page.ts"), "utf8")).toBe("// mine\n");
    await tsop(`${page} --force`);
    expect(readFileSync(join(folder, "src/api/v1/page.ts"), "utf8")).toContain("class PageSpec");

    // Nobody converts between versions with different fields.
    const unequal = await newcomer.run("npx tsop manifests", folder);
    expect([unequal.code, unequal.out + unequal.err]).toEqual([
      1,
      expect.stringContaining("versions-not-converted"),
    ]);
    await tsop(`${page.replace("--version v1", "--version v2")} --force`);
    // Its files are many: in one process they import the package once.
    await newcomer.succeed("npm test -- --no-isolate --maxWorkers=1", folder);
    await newcomer.succeed("npm run check", folder);
    const files = newcomer.filesIn(folder);
    expect(JSON.parse(files["package.json"] ?? "")).toMatchObject({
      author: 'Jane O"Hara',
      license: "MIT",
    });
    expect(files["config/rbac/role.yaml"]).toContain("kind: Role\n");
    // kubectl reads YAML 1.1, where a bare `on` is a boolean.
    expect(files["config/samples/web_v1_page.yaml"]).toContain('"on": true');
  });
});
