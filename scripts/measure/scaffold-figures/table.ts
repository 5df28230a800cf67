/** Counts scaffolded projects, and writes the table of the benchmarks page. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { runCli } from "../../../test/cli/support/run-cli.ts";

/** The figures of a project. */
export interface ScaffoldFigures {
  readonly files: number;
  readonly lines: number;
  /** Lines of code that are scaffolded once and belong to the user, with their tests. */
  readonly codeLines: number;
  /** The packages or modules that the project declares. */
  readonly dependencies: number;
}

/** The two columns of the table. */
export interface FigureColumns {
  readonly ours: ScaffoldFigures;
  readonly theirs: ScaffoldFigures;
}

const ROWS: readonly (readonly [title: string, field: keyof ScaffoldFigures])[] = [
  ["files", "files"],
  ["lines", "lines"],
  ["of them code and tests", "codeLines"],
  ["dependencies that the project names", "dependencies"],
];

/** The commands that make the project: one kind, and the generated files. */
const COMMANDS = [
  "init --domain example.com --project-name shop --no-install",
  "create api --group web --version v1 --kind Page --field title:string",
  "manifests",
];

/** Makes a project and counts its files and lines. */
export async function scaffoldFigures(): Promise<ScaffoldFigures> {
  const cwd = mkdtempSync(join(tmpdir(), "tsop-figures-"));
  try {
    for (const line of COMMANDS) {
      const { code, out, err } = await runCli(cwd, line.split(" "));
      if (code !== 0) throw new Error(`tsop ${line}: ${out}\n${err}`);
    }
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(cwd, "package.json"), "utf8"),
    ) as Record<"dependencies" | "devDependencies", object>;
    return {
      ...counted(cwd, /^(src|test)\/.*\.ts$/),
      dependencies: Object.keys(dependencies).length + Object.keys(devDependencies).length,
    };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Counts kubebuilder's project; its chart, which is made on request, and its checksums do not count. */
export function kubebuilderFigures(folder: string): ScaffoldFigures {
  const [direct = ""] = readFileSync(join(folder, "go.mod"), "utf8").split(")");
  return {
    ...counted(folder, /^(?!.*zz_generated).*\.go$/),
    dependencies: [...direct.matchAll(/^\t\S+ v/gm)].length,
  };
}

function counted(folder: string, code: RegExp): Omit<ScaffoldFigures, "dependencies"> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !/^(dist|node_modules|\.tsop)\/|^(go\.sum|package-lock\.json)$/.test(path));
  const linesOf = (paths: readonly string[]): number =>
    paths.reduce(
      (sum, path) => sum + readFileSync(join(folder, path), "utf8").split("\n").length - 1,
      0,
    );
  return {
    files: files.length,
    lines: linesOf(files),
    codeLines: linesOf(files.filter((path) => code.test(path))),
  };
}

/** The figures in a page. @throws Error when a row is missing */
export function readTable(page: string): FigureColumns {
  const none: ScaffoldFigures = { files: 0, lines: 0, codeLines: 0, dependencies: 0 };
  return ROWS.reduce<FigureColumns>(
    ({ ours, theirs }, [title, field]) => {
      const row = new RegExp(`^\\| ${title} +\\| +([0-9]+) +\\| +([0-9]+) +\\|$`, "m").exec(page);
      if (!row) throw new Error(`The table has no row "${title}".`);
      return {
        ours: { ...ours, [field]: Number(row[1]) },
        theirs: { ...theirs, [field]: Number(row[2]) },
      };
    },
    { ours: none, theirs: none },
  );
}

/** The page with these figures in its table. */
export function withTable(page: string, { ours, theirs }: FigureColumns): string {
  return ROWS.reduce((text, [title, field]) => {
    const cell = (value: number, width: number): string => String(value).padEnd(width);
    return text.replace(
      new RegExp(`^(\\| ${title} +\\| )([0-9]+ *)( \\| )([0-9]+ *)( \\|)$`, "m"),
      (_row, start: string, old: string, bar: string, other: string, end: string) =>
        `${start}${cell(ours[field], old.length)}${bar}${cell(theirs[field], other.length)}${end}`,
    );
  }, page);
}
