import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

/** Commands that add something, each with the one that takes it away again. */
const PAIRS = ["Page", "Post", "Pod"].flatMap((kind) => {
  const named = ["--group", kind === "Pod" ? "core" : "web", "--version", "v1", "--kind", kind];
  const isCore = kind === "Pod";
  return [
    isCore
      ? { create: ["create", "controller", ...named], remove: ["delete", "controller", ...named] }
      : { create: ["create", "api", ...named], remove: ["delete", "api", ...named] },
    {
      create: ["create", "webhook", ...named, "--validation"],
      remove: ["delete", "webhook", ...named],
    },
  ];
});
const PARTS = ["ha", "prometheus", "metrics-certs"].map((part) => ({
  create: ["edit", "--enable", part],
  remove: ["edit", "--disable", part],
}));

/** Files that a user may write into at any time. */
const EDITED = [
  "src/main.ts",
  "src/controllers/index.ts",
  "src/webhooks/index.ts",
  "config/default/kustomization.yaml",
  "config/samples/kustomization.yaml",
  "Dockerfile",
];

type Step = { readonly pair: number; readonly removes: boolean } | { readonly edits: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    pair: fc.nat(PAIRS.length + PARTS.length - 1),
    removes: fc.boolean(),
  }),
  fc.record({ edits: fc.constantFrom(...EDITED) }),
);

interface ProjectFile {
  readonly resources?: readonly { kind: string; controller: boolean; webhooks?: object }[];
}

/** Each index names what PROJECT has, and nothing else. */
function expectIndexes(files: Readonly<Record<string, string>>): void {
  const { resources = [] } = parse(files["PROJECT"] ?? "") as ProjectFile;
  const listed = (path: string, line: RegExp): (string | undefined)[] =>
    [...(files[path] ?? "").matchAll(line)].map(([, name]) => name).sort();
  expect(listed("src/controllers/index.ts", /^ {2}setUp(\w+)\(manager\);$/gm)).toEqual(
    resources
      .filter(({ controller }) => controller)
      .map(({ kind }) => kind)
      .sort(),
  );
  expect(
    listed("src/webhooks/index.ts", /^ {2}manager\.webhooks\.add\(new (\w+)Validator\(\)\);$/gm),
  ).toEqual(
    resources
      .filter(({ webhooks }) => webhooks)
      .map(({ kind }) => kind)
      .sort(),
  );
}

it(
  "loses no line of the user, and undoes what it did, whatever comes after what",
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const root = await newProject();
        const mine: { readonly path: string; readonly line: string }[] = [];
        for (const [index, one] of steps.entries()) {
          if ("edits" in one) {
            const comment = one.edits.endsWith(".ts") ? "//" : "#";
            if (filesIn(root)[one.edits] === undefined) continue;
            const line = `${comment} Mine, ${index}.`;
            appendFileSync(join(root, one.edits), `${line}\n`);
            mine.push({ path: one.edits, line });
          } else {
            const pair = [...PAIRS, ...PARTS][one.pair];
            if (!pair) throw new Error("no such pair");
            const before = filesIn(root);
            const { code } = await runCli(root, one.removes ? pair.remove : pair.create);
            // What is not there cannot be deleted, and a refusal changes nothing.
            if (code !== 0) expect(filesIn(root)).toEqual(before);
            else if (!one.removes && JSON.stringify(before) !== JSON.stringify(filesIn(root))) {
              const created = filesIn(root);
              expect((await runCli(root, pair.remove)).code).toBe(0);
              expect(filesIn(root)).toEqual(before);
              expect((await runCli(root, pair.create)).code).toBe(0);
              expect(filesIn(root)).toEqual(created);
            }
          }
          const files = filesIn(root);
          for (const { path, line } of mine) {
            if (files[path] !== undefined) expect(files[path]).toContain(line);
            else expect(path).toBe("config/samples/kustomization.yaml");
          }
          expectIndexes(files);
        }
        const before = filesIn(root);
        expect((await runCli(root, ["upgrade"])).out).toContain("nothing to change");
        expect(filesIn(root)).toEqual(before);
      }),
      { numRuns: 40, seed: 20261128 },
    );
  },
);
