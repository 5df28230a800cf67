/** The progress of a storage migration, so that the next run goes on where this one was ended. */
import { isJsonObject } from "../../kube/json.ts";
import { OwnState } from "../../own-state.ts";

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

/** How far the migration of a CRD is. It is not in the project: a state from a repository could skip objects. */
export class MigrationFile {
  readonly #state: OwnState;

  constructor(root: string, crd: string) {
    this.#state = OwnState.about(root, `migration ${crd}`);
  }

  /** The place at which the migration of exactly this target was ended; `undefined` when it has to begin. */
  read(target: MigrationTarget): MigrationState | undefined {
    const state: unknown = this.#state.read();
    return isStateOf(state, target) ? state : undefined;
  }

  /** @throws TsopError `no-state-folder` */
  write(state: MigrationState): void {
    this.#state.write({ ...state });
  }

  remove(): void {
    this.#state.remove();
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
