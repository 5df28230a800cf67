/** The third-party checkers: built with Go into `.cache/judges`, each in one version. */
import { execa } from "execa";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The tools to build, and the module of each. */
const TOOLS = {
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  "kube-score": "github.com/zegl/kube-score/cmd/kube-score@v1.20.0",
  actionlint: "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12",
  promtool: "github.com/prometheus/prometheus/cmd/promtool@v0.316.0",
  // The checks of `operator-sdk bundle validate`; operator-sdk itself is a module that the proxy
  // does not have.
  "operator-verify": "github.com/operator-framework/api/cmd/operator-verify@v0.27.0",
} as const;

/** A third-party checker. */
export type Tool = keyof typeof TOOLS;

/** The CRDs of kinds that scaffolded projects use: of a module, below a folder of it. */
const FOREIGN_CRDS = [
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    folder: "example/prometheus-operator-crd",
    files: /_(servicemonitors|prometheusrules)\.yaml$/,
  },
  {
    module: "github.com/cert-manager/cert-manager@v1.21.2",
    folder: "deploy/crds",
    files: /_(certificates|issuers)\.yaml$/,
  },
] as const;

/** Runs Go. @throws Error with the way to install it */
async function go(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const ran = await execa("go", args, { ...options, reject: false });
  if (ran.code === "ENOENT") {
    throw new Error(
      "There is no go: the judges are built with it. Get it from https://go.dev/dl, then try again.",
    );
  }
  if (ran.failed) throw new Error(`go ${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

/**
 * Installs a program; in a module of its own, where a proxy refuses the lists of versions that `go
 * install` requests.
 */
async function build(module: string, binary: string): Promise<void> {
  try {
    await go(["install", module], { env: { GOBIN: dirname(binary), GOFLAGS: "-mod=mod" } });
  } catch {
    await buildInModule(module, binary);
  }
}

async function buildInModule(module: string, binary: string): Promise<void> {
  const [program = "", version = ""] = module.split("@");
  const folder = mkdtempSync(join(tmpdir(), "tsop-judge-"));
  const at = { cwd: folder, env: { GOFLAGS: "-mod=mod" } };
  try {
    writeFileSync(join(folder, "go.mod"), "module judge\n\ngo 1.24\n");
    writeFileSync(join(folder, "judge.go"), `package judge\n\nimport _ "${program}"\n`);
    await go(
      ["mod", "edit", `-require=${program.split("/").slice(0, 3).join("/")}@${version}`],
      at,
    );
    await go(["mod", "tidy", "-e"], at);
    await go(["build", "-o", binary, program], at);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Builds the missing tools; reports those that cannot be built, and the checks that will be
 * missing.
 */
export async function buildTools(cache: string): Promise<ReadonlyMap<Tool, string>> {
  const folder = join(cache, "bin");
  mkdirSync(folder, { recursive: true });
  await go(["version"]);
  const built = new Map<Tool, string>();
  for (const [name, module] of Object.entries(TOOLS) as [Tool, string][]) {
    const binary = join(folder, process.platform === "win32" ? `${name}.exe` : name);
    if (!existsSync(binary)) {
      console.log(`building ${module}`);
      try {
        await build(module, binary);
      } catch (error) {
        console.log(`NOT BUILT: ${name}: ${(error as Error).message.split("\n")[0] ?? ""}`);
        continue;
      }
    }
    built.set(name, binary);
  }
  return built;
}

/**
 * The folders with the CRDs of the Prometheus operator and of cert-manager, and the relevant files.
 */
export async function foreignCrds(): Promise<readonly { folder: string; files: RegExp }[]> {
  const found: { folder: string; files: RegExp }[] = [];
  for (const { module, folder, files } of FOREIGN_CRDS) {
    const downloaded = await go(["mod", "download", "-json", module], {
      env: { GOFLAGS: "-mod=mod" },
    });
    const { Dir: source } = JSON.parse(downloaded) as { Dir: string };
    found.push({ folder: join(source, folder), files });
  }
  return found;
}
