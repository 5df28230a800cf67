/**
 * Reinvocation: webhooks and policies that see an object again because another changed it later.
 *
 * There are at most two rounds.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#reinvocation-policy
 */
import { sameJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";

/** The rounds of one write. */
export class Rounds {
  /** Whether a webhook or policy changed the object, so that a second round is due. */
  changed = false;
  isSecond = false;
}

/** The webhooks, or the policies, that take part in one write, by their ids. */
export class Asked {
  readonly #rounds: Rounds;
  readonly #before = new Set<string>();
  readonly #again = new Set<string>();
  #left: SentObject | undefined;

  constructor(rounds: Rounds) {
    this.#rounds = rounds;
  }

  begin(object: SentObject | undefined): void {
    if (this.#rounds.isSecond && !sameJson(object, this.#left)) this.#recall();
  }

  /** Ends a round with this object. */
  end(object: SentObject | undefined): void {
    this.#left = object;
  }

  /** Whether a webhook or policy takes part in this round. */
  includes(id: string): boolean {
    return !this.#rounds.isSecond || this.#again.has(id);
  }

  /** Records that a webhook or policy with `reinvocationPolicy: IfNeeded` has seen the object. */
  wasAsked(id: string): void {
    this.#before.add(id);
  }

  /** Records a change of the object: those with `IfNeeded` that saw it before take part again. */
  changed(): void {
    this.#recall();
    this.#rounds.changed = true;
  }

  #recall(): void {
    for (const id of this.#before) this.#again.add(id);
    this.#before.clear();
  }
}
