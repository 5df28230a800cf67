/**
 * Who changes an object in admission, and who wants to see it again because somebody else did.
 *
 * There are at most two rounds.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#reinvocation-policy
 * @module
 */
import { sameJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";

/** The rounds of one write. */
export class Rounds {
  /** Whether somebody changed the object, so that a second round is due. */
  changed = false;
  isSecond = false;
}

/** Those who are asked about one write, by their ids: webhooks, or policies. */
export class Asked {
  readonly #rounds: Rounds;
  readonly #before = new Set<string>();
  readonly #again = new Set<string>();
  #left: SentObject | undefined;

  constructor(rounds: Rounds) {
    this.#rounds = rounds;
  }

  /** A round begins with this object. */
  begin(object: SentObject | undefined): void {
    if (this.#rounds.isSecond && !sameJson(object, this.#left)) this.#recall();
  }

  /** A round leaves this object. */
  end(object: SentObject | undefined): void {
    this.#left = object;
  }

  /** Whether somebody takes part in this round. */
  includes(id: string): boolean {
    return !this.#rounds.isSecond || this.#again.has(id);
  }

  /** Somebody who wants to know of later changes has been asked. */
  wasAsked(id: string): void {
    this.#before.add(id);
  }

  /** The object has changed: whoever wants to know of that and has seen it is asked again. */
  changed(): void {
    this.#recall();
    this.#rounds.changed = true;
  }

  #recall(): void {
    for (const id of this.#before) this.#again.add(id);
    this.#before.clear();
  }
}
