/**
 * A Dockerfile without Docker: its steps are done one by one in empty folders, one for each stage.
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { promisify } from "node:util";

interface Step {
  readonly instruction: string;
  readonly rest: string;
}

interface Stage {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly image: string;
  folder: string;
  readonly env: Record<string, string>;
  user: string;
  entrypoint: readonly string[];
}

/** What a container of the image starts. */
export interface Image {
  readonly image: string;
  readonly user: string;
  /** Its paths are within `root`. */
  readonly entrypoint: readonly string[];
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Builds what the Dockerfile of `context` says, below `folder`.
 *
 * @throws Error for a step that fails, copies what is not there, or is not known here
 */
export async function replayDockerfile(context: string, folder: string): Promise<Image> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { instruction, rest } of stepsOf(readFileSync(join(context, "Dockerfile"), "utf8"))) {
    if (instruction === "FROM") {
      const [image = "", , name = `${stages.size}`] = rest.split(/\s+/);
      const root = join(folder, name);
      mkdirSync(root, { recursive: true });
      stage = { root, image, folder: "/", env: {}, user: "0", entrypoint: [] };
      stages.set(name, stage);
      continue;
    }
    if (!stage) throw new Error(`${instruction} before FROM`);
    switch (instruction) {
      case "WORKDIR":
        stage.folder = posix.resolve(stage.folder, rest);
        mkdirSync(join(stage.root, stage.folder), { recursive: true });
        break;
      case "ENV": {
        const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(rest) ?? [];
        stage.env[name] = value;
        break;
      }
      case "USER":
        stage.user = rest;
        break;
      case "COPY":
        copy(rest, stage, stages, context);
        break;
      case "RUN":
        await runStep(rest, stage);
        break;
      case "ENTRYPOINT":
        stage.entrypoint = JSON.parse(rest) as string[];
        break;
      default:
        throw new Error(`the replay does not know ${instruction}`);
    }
  }
  if (!stage) throw new Error("the Dockerfile has no stage");
  const { root, image, user, env, entrypoint } = stage;
  return { root, image, user, env, entrypoint };
}

function stepsOf(text: string): Step[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines
    .join("\n")
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => {
      const [, instruction = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return { instruction, rest };
    });
}

async function runStep(line: string, stage: Stage): Promise<void> {
  if (stage.image.includes("distroless")) throw new Error(`${stage.image} has no shell: ${line}`);
  const home = join(stage.root, "root");
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    // The packages that the project's own installation has just read.
    npm_config_cache: process.env["npm_config_cache"] ?? join(process.env["HOME"] ?? "", ".npm"),
    npm_config_prefer_offline: "true",
    ...stage.env,
  };
  await promisify(execFile)("sh", ["-c", line], { cwd: join(stage.root, stage.folder), env });
}

function copy(rest: string, stage: Stage, stages: Map<string, Stage>, context: string): void {
  const words = rest.split(/\s+/);
  const from = /^--from=(.*)$/.exec(words[0] ?? "")?.[1];
  const paths = from === undefined ? words : words.slice(1);
  const target = paths.at(-1) ?? "";
  const sources = paths.slice(0, -1);
  if (sources.length > 1 && !target.endsWith("/")) {
    throw new Error(`COPY of several files to ${target}, which is not a folder`);
  }
  const source = from === undefined ? undefined : stages.get(from);
  if (from !== undefined && !source) throw new Error(`COPY from ${from}, which is not a stage`);
  const root = source?.root ?? context;
  const ignored = source ? () => false : ignoring(context);
  const to = join(stage.root, posix.resolve(stage.folder, target));
  for (const path of sources) {
    const full = join(root, path);
    if (/[*?[]/.test(path)) throw new Error(`the replay does not know the pattern ${path}`);
    if (!existsSync(full) || ignored(path)) throw new Error(`COPY ${path}: not found`);
    const isFolder = statSync(full).isDirectory();
    const into = isFolder || !/[/.]$/.test(target) ? to : join(to, basename(path));
    mkdirSync(isFolder ? into : dirname(into), { recursive: true });
    for (const file of isFolder ? filesUnder(full) : [""]) {
      if (ignored(posix.join(path, file))) continue;
      cpSync(join(full, file), join(into, file), { recursive: true });
    }
  }
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
}

/** Whether `.dockerignore` holds a path back: the last pattern that it or a folder above it matches decides. */
function ignoring(context: string): (path: string) => boolean {
  const file = join(context, ".dockerignore");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const patterns = lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ keeps: line.startsWith("!"), pattern: patternOf(line.replace(/^!/, "")) }));
  return (path) => {
    const parts = path.split("/");
    const above = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    return (
      patterns.findLast(({ pattern }) => above.some((one) => pattern.test(one)))?.keeps === false
    );
  };
}

function patternOf(line: string): RegExp {
  const words: Record<string, string> = {
    "**/": "(?:.*/)?",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
  };
  const text = line
    .replace(/^\/|\/$/g, "")
    .replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (found) => words[found] ?? `\\${found}`);
  return new RegExp(`^${text}$`);
}
