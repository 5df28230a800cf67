import { execa } from "execa";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import { TsopError } from "../../src/errors.ts";
import { clientFolder } from "../../test/support/kubectl.ts";
import { defineVerification } from "../programs/program.ts";

const MODULE = "sigs.k8s.io/kustomize/api@v0.21.1";
/** Tests that need the network, other programs or helm. */
const SKIPPED =
  "Remote|TestTargetMustHaveKustomizationFile|TestAccumul|Http|HTTP|Helm|TestBaseMustHave|GitRepo|TestDuplicateExternal|Malformed|TestFn|Exec|TestAnnoOrigin(GeneratorInTransformers|Custom|Inline)|Plugin";

/**
 * The outcome of one kustomization. It must be equal, refused by both, or refused here with an error that names the
 * feature.
 */
type Outcome = "equal" | "refused by both" | "refused here" | "rendered here alone" | "different";

interface Result {
  readonly name: string;
  readonly outcome: Outcome;
  readonly detail: string;
  /** The objects that kubectl rendered. */
  readonly objects?: readonly unknown[];
}

const RECORDING = "test/cli/kustomize/published.data.json";
const RECORDED_CASES = 48;
/** The limit of a recorded case and its output, in bytes. */
const RECORDED_BYTES = 3000;

const DUMP = `func (th Harness) dump(path string) {
	name := strings.ReplaceAll(th.t.Name(), "/", "__")
	for i := 0; ; i++ {
		out := filepath.Join(os.Getenv("DUMP_FOLDER"), fmt.Sprintf("%s.%d", name, i))
		if _, err := os.Stat(out); err == nil {
			continue
		}
		_ = os.MkdirAll(out, 0o755)
		_ = os.WriteFile(filepath.Join(out, ".path"), []byte(path), 0o644)
		for _, root := range []string{".", "/"} {
			_ = th.fSys.Walk(root, func(p string, info os.FileInfo, err error) error {
				if err != nil || info.IsDir() {
					return nil
				}
				content, readErr := th.fSys.ReadFile(p)
				if readErr == nil {
					file := filepath.Join(out, p)
					_ = os.MkdirAll(filepath.Dir(file), 0o755)
					_ = os.WriteFile(file, content, 0o644)
				}
				return nil
			})
		}
		return
	}
}

`;

/** Runs kustomize's tests and returns the folder of their files. */
async function collect(folder: string): Promise<string> {
  const options = { cwd: folder, env: { GOFLAGS: "-mod=mod" } };
  const { stdout } = await execa("go", ["mod", "download", "-json", MODULE], options);
  const { Dir: source } = JSON.parse(stdout) as { Dir: string };
  const copy = join(folder, "api");
  cpSync(source, copy, { recursive: true });
  await execa("chmod", ["-R", "u+w", copy]);
  const harness = join(copy, "testutils/kusttest/harness.go");
  const text = readFileSync(harness, "utf8")
    .replace("import (\n", 'import (\n\t"fmt"\n\t"os"\n\t"strings"\n')
    .replace("// Run, failing on error.\n", `${DUMP}// Run, failing on error.\n`)
    .replaceAll(
      /(func \(th Harness\) Run(?:WithErr)?\(path string, .*\{\n)/g,
      "$1\tth.dump(path)\n",
    );
  writeFileSync(harness, text);
  const dump = join(folder, "cases");
  const args = ["test", "-timeout", "300s", "-skip", SKIPPED, "./krusty/"];
  await execa("go", args, {
    cwd: copy,
    env: { GOFLAGS: "-mod=mod", DUMP_FOLDER: dump },
    reject: false,
  });
  return dump;
}

/** The kustomizations in and below a folder: that of a test, or every one without a `.path`. */
function casesOf(folder: string): string[] {
  const marker = join(folder, ".path");
  if (existsSync(marker)) return [join(folder, readFileSync(marker, "utf8"))];
  const entries = readdirSync(folder, { withFileTypes: true });
  const own = entries.some(({ name }) => /^(kustomization\.ya?ml|Kustomization)$/.test(name));
  const below = entries
    .filter((entry) => entry.isDirectory() && !/^(node_modules|dist|\..*)$/.test(entry.name))
    .flatMap(({ name }) => casesOf(join(folder, name)));
  return own ? [folder, ...below] : below;
}

async function compare(folder: string, name: string, kubectl: string): Promise<Result> {
  const { stdout, stderr, failed } = await execa(kubectl, ["kustomize", folder], {
    reject: false,
    stripFinalNewline: false,
  });
  const ours = await renderKustomization(folder).catch((error: unknown) => {
    if (error instanceof TsopError) return error;
    throw new Error(`${name} cannot be rendered`, { cause: error });
  });
  if (ours instanceof TsopError) {
    const detail = `${ours.code}: ${ours.message}`;
    return { name, outcome: failed ? "refused by both" : "refused here", detail };
  }
  if (failed) return { name, outcome: "rendered here alone", detail: stderr.slice(0, 300) };
  const theirs = parseAllDocuments(stdout, { logLevel: "error" })
    .map((document) => document.toJS() as unknown)
    .filter((object) => object !== null && object !== undefined);
  const plain = JSON.parse(JSON.stringify(ours)) as unknown[];
  if (isDeepStrictEqual(plain, theirs)) {
    return { name, outcome: "equal", detail: "", objects: theirs };
  }
  const index = theirs.findIndex((object, at) => !isDeepStrictEqual(object, plain[at]));
  const shown = (object: unknown): string => JSON.stringify(object, undefined, 1);
  return {
    name,
    outcome: "different",
    detail: `object ${index} of ${theirs.length} (here ${plain.length})\n--- kubectl\n${shown(theirs[index])}\n--- tsop\n${shown(plain[index])}`,
  };
}

/** Writes a spread of the small cases that render to the same, with their files and kubectl's objects. */
function record(folder: string, results: readonly Result[]): void {
  const small = results.flatMap(({ name, objects }) => {
    const [test = "", ...path] = name.split("/");
    const files = Object.fromEntries(filesIn(join(folder, test)));
    const recorded = { folder: path.join("/") || ".", files, objects };
    const fits = objects !== undefined && JSON.stringify(recorded).length < RECORDED_BYTES;
    return fits ? [[test, recorded] as const] : [];
  });
  const step = small.length / RECORDED_CASES;
  const chosen = small.filter((_case, index) => Math.floor(index % step) === 0);
  const text = JSON.stringify(Object.fromEntries(chosen), undefined, 1);
  writeFileSync(RECORDING, `${text}\n`);
  console.log(`${chosen.length} of ${small.length} small ones are recorded in ${RECORDING}`);
}

/** The paths and texts of the files of a test. */
function filesIn(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".path")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [relative(folder, path), readFileSync(path, "utf8")]);
}

export const program = defineVerification({
  about:
    "Renders kustomize's own tests, or the kustomizations in folders, and compares the objects with those of `kubectl kustomize`.",
  compares: "kustomizations",
  needs: ["Go", "kubectl", "the network"],
  words: {
    name: "FOLDER",
    about: "folders with kustomizations, which need neither Go nor the network",
  },
  options: {
    verbose: { type: "switch", about: "also print those that both refuse" },
    record: { type: "switch", about: `write small equal ones to ${RECORDING}` },
  },
  run: async ({ values: { verbose, record: isRecorded }, words, tally }) => {
    const temporary = mkdtempSync(join(tmpdir(), "kustomize-cases-"));
    try {
      const folders = words.length > 0 ? words : [await collect(temporary)];
      const kubectl = join(clientFolder(), "kubectl");
      const results: Result[] = [];
      for (const folder of folders) {
        for (const found of casesOf(folder)) {
          results.push(await compare(found, relative(folder, found) || found, kubectl));
        }
      }
      if (isRecorded) record(folders[0] ?? "", results);
      const counts = new Map<Outcome, number>();
      for (const { name, outcome, detail } of results) {
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        const isEqual = outcome === "equal" || outcome === "refused by both";
        tally.add(1, isEqual ? 1 : 0, isEqual || outcome === "different" ? 0 : 1);
        if (outcome === "equal" || (outcome === "refused by both" && !verbose)) continue;
        console.log(`${outcome}: ${name}\n  ${detail}`);
      }
      console.log(Object.fromEntries(counts));
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  },
});
