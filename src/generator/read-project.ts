/** The whole project: every class that is a kind or carries rights. */
import type { Findings } from "./findings.ts";
import { ts } from "./load.ts";
import { classMarkers } from "../markers/registry.ts";
import { LEASE_ROLE } from "./sources.ts";
import type {
  ConversionModel,
  ExternalKindModel,
  GrantModel,
  KindModel,
  Position,
  ProjectModel,
  UsesModel,
  WebhookModel,
} from "./model.ts";
import { checkedType } from "./read/types/checked-type.ts";
import { readConversions } from "./read/conversions.ts";
import { Disk, type EditedFiles } from "./read/code/disk.ts";
import { readKind } from "./read/kind.ts";
import type { Module } from "./read/code/module.ts";
import { readDeclared } from "./read/types/named-type.ts";
import { Modules } from "./read/code/modules.ts";
import { type Decoration, decorationsOf } from "./read/marks/marks.ts";
import { complain, type Reader, TooLarge } from "./read/code/reader.ts";
import { readRights } from "./read/marks/rbac-marks.ts";
import { readType } from "./read/types/type.ts";
import { findTooDeep, mostNested } from "./read/code/syntax-depth.ts";
import { UsesReader, type Whereabouts } from "./uses/uses.ts";
import { readWebhooks } from "./read/webhooks.ts";

/** A file without any of these cannot hold a kind or a right, and is not parsed for its own sake. */
const SPEAKS_OF_MARKERS = /@\s*(?:\w+\.)?\w|\bResource\b|\bRbac\b/;

/** A file without any of these can neither hold a client nor a builder, nor hand a kind to one. */
const SPEAKS_OF_TSOP =
  /["']tsop(?:\/k8s)?["']|\bclient\b|\.(?:get|find|list|listAll|create|update|patch|apply|delete|deleteAllOf|for|owns|watches|handles|status|event)\b/i;

/** A file of `src/plugins`: what it does is done by who calls kubectl, when its folder is that of a plugin. */
const IN_PLUGINS = /^(.*[/\\]src[/\\]plugins[/\\][^/\\]+[/\\])/;
const SPEAKS_OF_PLUGINS = /["']tsop\/plugin["']/;

/** The folders of plugins of kubectl: the operator needs no rights for what is called there. */
function pluginFolders(files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const speaking = [...files].filter(([, text]) => SPEAKS_OF_PLUGINS.test(text));
  return new Set(speaking.flatMap(([path]) => IN_PLUGINS.exec(path)?.[1] ?? []));
}

/** The modules of a project, resolved with the options of its tsconfig; edited files are read as they will be. */
export function openModules(root: string, edited?: EditedFiles): Modules {
  const disk = new Disk(edited);
  const path = ts.findConfigFile(root, (file) => disk.fileExists(file));
  const config =
    path === undefined
      ? {}
      : (ts.readConfigFile(path, (file) => disk.readFile(file)).config as object);
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, files: [], include: [] },
    disk,
    root,
  );
  return new Modules(root, options, disk);
}

/** The reader of a project whose sources are `files`. */
export function readerOf(
  modules: Modules,
  files: ReadonlyMap<string, string>,
  findings: Findings,
): Reader {
  modules.setSources(files.keys());
  return {
    modules,
    findings,
    readType,
    readDeclared,
    readChecked: checkedType,
    size: { types: 0, constants: 0, kind: "", at: { file: "", line: 1, column: 1 } },
  };
}

/** Reads the kinds and rights in `files`; all mistakes in them are added to `findings`. */
export function readProject(
  modules: Modules,
  files: ReadonlyMap<string, string>,
  findings: Findings,
): ProjectModel {
  const reader = readerOf(modules, files, findings);
  const kinds: KindModel[] = [];
  const externalKinds: ExternalKindModel[] = [];
  const grants: GrantModel[] = [];
  const webhooks: WebhookModel[] = [];
  const conversions: ConversionModel[] = [];
  const callers: Module[] = [];
  const plugins = pluginFolders(files);
  for (const [path, text] of files) {
    const calls = SPEAKS_OF_TSOP.test(text) && !plugins.has(IN_PLUGINS.exec(path)?.[1] ?? "");
    if (!calls && !SPEAKS_OF_MARKERS.test(text)) continue;
    const module = parse(modules, path, text, findings);
    if (!module) continue;
    if (calls) callers.push(module);
    const atFile = { file: modules.show(path), line: 1, column: 1 };
    Object.assign(reader.size, { types: 0, constants: 0, kind: "this file", at: atFile });
    withinTheStack(reader, () => {
      complainOfHidden(reader, module);
      for (const node of module.declarations.values()) {
        if (!ts.isClassDeclaration(node)) continue;
        const at = modules.at(module, node.name ?? node);
        Object.assign(reader.size, { types: 0, kind: node.name?.text ?? "the class", at });
        const kind = readKind(reader, module, node);
        if (kind && "type" in kind) kinds.push(kind);
        else if (kind) externalKinds.push(kind);
        grants.push(...readRights(reader, module, node));
        webhooks.push(...readWebhooks(reader, module, node));
        conversions.push(...readConversions(reader, module, node));
      }
    });
  }
  const calls = new UsesReader(reader, modules.has(LEASE_ROLE));
  const uses = withinTheStack(
    reader,
    () => calls.read(callers, kinds),
    () => calls.whereabouts,
  );
  return { kinds, externalKinds, grants, webhooks, conversions, uses: uses ?? NO_USES };
}

const NO_USES: UsesModel = {
  uses: [],
  unclear: [],
  escaped: new Set(),
  dynamic: false,
  elects: false,
  records: false,
  unknownStatus: false,
};

/** Parses a file of the project; `undefined` when it is nested too deeply to be read. */
function parse(
  modules: Modules,
  path: string,
  text: string,
  findings: Findings,
): Module | undefined {
  try {
    const module = modules.get(path);
    modules.reportSyntax(module, findings);
    const deep = findTooDeep(module.file);
    if (!deep) return module;
    complainOfDepth(findings, modules.at(module, deep));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    complainOfDepth(findings, { file: modules.show(path), ...mostNested(text) });
  }
  return undefined;
}

function complainOfDepth(findings: Findings, at: Position): void {
  findings.error(
    at,
    "nested-too-deep",
    "This is nested too deeply to be read.",
    "Give parts of it their own names.",
  );
}

/** A kind inside of a namespace or a function cannot be imported, and is not looked for there. */
function complainOfHidden(reader: Reader, { file, ...module }: Module): void {
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node) && !(node.name && ts.isSourceFile(node.parent))) {
      const [resource] = decorationsOf(reader, { file, ...module }, node).filter(isOfClass);
      if (resource) {
        complain(
          reader,
          { module: { file, ...module }, node: resource.call },
          "kind-not-at-top",
          node.name
            ? `@${resource.name} is on a class inside a namespace or function, where tsop does not read it.`
            : `@${resource.name} is on a class without a name, which tsop does not read.`,
          "Declare a class with a name at the top level of the file, and export it.",
        );
      }
    }
    ts.forEachChild(node, visit);
  };
  if (/^\s+@|[({=]\s*@|\bdefault\s+class\s+extends\b/m.test(file.text))
    ts.forEachChild(file, visit);
}

const isOfClass = ({ name }: Decoration): boolean => classMarkers.includes(name);

/**
 * Reads within the stack: reading goes as deep as types and values lead to each other, and a chain
 * of thousands is a mistake of the file.
 *
 * @param whereabouts - what was being read
 * @returns what was read; `undefined` when it was too much
 */
function withinTheStack<T>(
  { findings, size }: Reader,
  read: () => T,
  whereabouts: () => Whereabouts = () => ({ at: size.at, what: size.kind }),
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooLarge) {
      findings.error(
        error.at,
        "schema-too-large",
        `The schema of ${error.kind} has more than ${error.most} parts, and would not fit into a cluster.`,
        "Look for types that refer to each other and grow with each level; put @PreserveUnknownFields() with the type `unknown` on a field, or leave parts out with Omit.",
      );
      return undefined;
    }
    if (!(error instanceof RangeError)) throw error;
    const { at, what } = whereabouts();
    findings.error(
      at,
      "nested-too-deep",
      `The types or constants behind ${what} are nested too deeply.`,
      "Look for a chain of thousands of types or constants that refer to each other.",
    );
    return undefined;
  }
}
