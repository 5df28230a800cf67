/**
 * The whole project: every class that is a kind or carries rights.
 *
 * @module
 */
import type { Findings } from "../findings.ts";
import { ts } from "../load.ts";
import { LEASE_ROLE } from "../sources.ts";
import type { GrantModel, KindModel, ProjectModel, WebhookModel } from "../model.ts";
import { Disk } from "./disk.ts";
import { readKind } from "./kind.ts";
import type { Module } from "./module.ts";
import { Modules } from "./modules.ts";
import type { Reader } from "./reader.ts";
import { readRights } from "./rights.ts";
import { readType } from "./type.ts";
import { UsesReader } from "../uses/uses.ts";
import { readWebhooks } from "./webhooks.ts";

/** A file without any of these cannot hold a kind or a right, and is not parsed for its own sake. */
const SPEAKS_OF_MARKERS = /@\s*(?:\w+\.)?\w|\bResource\b|\bRbac\b/;

/** A file without any of these can neither hold a client nor a builder, nor hand a kind to one. */
const SPEAKS_OF_TSOP =
  /["']tsop(?:\/k8s)?["']|\bclient\b|\.(?:get|find|list|listAll|create|update|patch|apply|delete|deleteAllOf|for|owns|watches|handles|status|event)\b/i;

/** The modules of a project, resolved with the options of its tsconfig. */
export function openModules(root: string): Modules {
  const disk = new Disk();
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

/** Reads the kinds and rights in `files`; everything wrong with them goes to `findings`. */
export function readProject(
  modules: Modules,
  files: ReadonlyMap<string, string>,
  findings: Findings,
): ProjectModel {
  const reader: Reader = { modules, findings, readType };
  const kinds: KindModel[] = [];
  const grants: GrantModel[] = [];
  const webhooks: WebhookModel[] = [];
  const callers: Module[] = [];
  for (const [path, text] of files) {
    const calls = SPEAKS_OF_TSOP.test(text);
    if (!calls && !SPEAKS_OF_MARKERS.test(text)) continue;
    withinTheStack(modules.show(path), findings, () => {
      const module = modules.get(path);
      if (calls) callers.push(module);
      modules.reportSyntax(module, findings);
      for (const node of module.declarations.values()) {
        if (!ts.isClassDeclaration(node)) continue;
        const kind = readKind(reader, module, node);
        if (kind) kinds.push(kind);
        grants.push(...readRights(reader, module, node));
        webhooks.push(...readWebhooks(reader, module, node));
      }
    });
  }
  const leaseIsGranted = modules.has(LEASE_ROLE);
  return { kinds, grants, webhooks, uses: new UsesReader(reader, leaseIsGranted).read(callers) };
}

/** Reading goes as deep as types and values are nested; what is nested in thousands is a mistake of the file. */
function withinTheStack(file: string, findings: Findings, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    findings.error(
      { file, line: 1, column: 1 },
      "nested-too-deep",
      "Something in this file is nested too deeply to be read.",
      "Give parts of it names of their own, and look for a type that grows with each level.",
    );
  }
}
