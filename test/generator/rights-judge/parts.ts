/** The pieces of source text of which a random project consists. */

/** The files of a project into which pieces are put. */
export type Place = "controller" | "helpers" | "kinds";

/** The text of a project while it is written, and of the deed that is written now. */
export class Parts {
  readonly files: Record<Place, string[]> = { controller: [], helpers: [], kinds: [] };
  /** Members of the reconciler's class. */
  readonly members: string[] = [];
  /** Statements of the program that starts the controller, before and after its builder is complete. */
  readonly wiring: string[] = [];
  readonly afterwards: string[] = [];
  /** Calls of the builder: `.owns(Secret)`. */
  readonly chain: string[] = [];
  /** Options of the manager: `leaderElection`. */
  readonly options: string[] = [];
  /** Statements of `reconcile` before those of the deeds. */
  readonly reconcile: string[] = [];
  /** The statements of `cleanup`; absent without one. */
  cleanup: string | undefined;
  /** Statements before the call of the present deed. */
  before: string[] = [];
  /** Whether the body of `reconcile` needs the object. */
  needsPage = false;
  /** The number of the present deed, for names. */
  id = 0;

  put(place: Place, text: string): void {
    this.files[place].push(text);
  }

  member(text: string): void {
    this.members.push(text);
  }

  /** A name that no other deed has. */
  name(stem: string): string {
    return `${stem}${this.id}`;
  }
}
