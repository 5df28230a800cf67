/** The progress of a storage migration, so that the next run goes on where this one was ended. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../kube/json.ts";
import { writePrivateFile } from "../project/private-file.ts";

/** The identity of a migration: another CRD, storage version or change of either begins anew. */
export interface MigrationTarget {
  readonly uid: string;
  readonly generation: number;
  readonly storageVersion: string;
}

export interface MigrationState extends MigrationTarget {
  /** The API server's mark of the next page. */
  readonly next: string;
  /** How many objects were rewritten, or found gone. */
  readonly done: number;
}

/** The file that says how far the migration of a CRD is. */
export class MigrationFile {
  readonly #path: string;

  constructor(root: string, crd: string) {
    this.#path = join(root, ".tsop", `migration-${crd}.json`);
  }

  /** The place at which the migration of exactly this target was ended; `undefined` when it has to begin. */
  read(target: MigrationTarget): MigrationState | undefined {
    try {
      const state: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      return isStateOf(state, target) ? state : undefined;
    } catch {
      return undefined;
    }
  }

  /** @throws TsopError `write-failed` */
  write(state: MigrationState): void {
    writePrivateFile(this.#path, `${JSON.stringify(state)}\n`);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

function isStateOf(value: unknown, target: MigrationTarget): value is MigrationState {
  return (
    isJsonObject(value) &&
    value["uid"] === target.uid &&
    value["generation"] === target.generation &&
    value["storageVersion"] === target.storageVersion &&
    typeof value["next"] === "string" &&
    value["next"] !== "" &&
    Number.isInteger(value["done"])
  );
}
