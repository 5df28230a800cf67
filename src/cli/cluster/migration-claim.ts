/**
 * One storage migration of a kind at a time: an annotation of the CRD names the process that does
 * it, with the time at which it last reported.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import type { LiveDefinition, MigrationRequests } from "./migration-requests.ts";

const ANNOTATION = "migration.tsop.dev/running";
/** The age at which a claim that was not renewed is void. */
const STALE_MS = 120_000;
const RENEW_MS = 20_000;

export class MigrationClaim {
  readonly #requests: MigrationRequests;
  readonly #clock: Clock;
  readonly #crd: string;
  readonly #holder = `${hostname()} (process ${process.pid}, ${randomUUID().slice(0, 8)})`;
  #renewedMs = 0;

  constructor(requests: MigrationRequests, clock: Clock, crd: string) {
    this.#requests = requests;
    this.#clock = clock;
    this.#crd = crd;
  }

  /**
   * Claims the migration, or renews the claim; does nothing while the last renewal is recent.
   *
   * @throws TsopError `migration-runs` when another one has it
   */
  async renew(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#renewedMs < RENEW_MS) return;
    await this.#write((definition) => {
      this.#refuseOther(definition, now);
      return `${new Date(now).toISOString()} ${this.#holder}`;
    });
    this.#renewedMs = now;
  }

  /** Gives the claim up, if it is still this one's. */
  async release(): Promise<void> {
    if (this.#renewedMs === 0) return;
    await this.#write((definition) => (this.#isOurs(definition) ? null : undefined));
  }

  /** @param textOf - the annotation as it is to be; `null` removes it, `undefined` leaves it as it is */
  async #write(textOf: (definition: LiveDefinition) => string | null | undefined): Promise<void> {
    for (;;) {
      try {
        const definition = await this.#requests.definition(this.#crd);
        const text = textOf(definition);
        if (text === undefined) return;
        await this.#requests.patchDefinition(definition, { annotations: { [ANNOTATION]: text } });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        // Somebody else changed the CRD; the next look shows who.
        if (!isConflict(error)) throw error;
      }
    }
  }

  #isOurs({ metadata }: LiveDefinition): boolean {
    return metadata.annotations?.[ANNOTATION]?.endsWith(` ${this.#holder}`) === true;
  }

  #refuseOther(definition: LiveDefinition, now: number): void {
    const claim = definition.metadata.annotations?.[ANNOTATION];
    if (claim === undefined || this.#isOurs(definition)) return;
    const [time = "", ...holder] = claim.split(" ");
    const age = Math.abs(now - Date.parse(time));
    if (!(age < STALE_MS)) return;
    throw new TsopError(
      "migration-runs",
      `The objects of ${this.#crd} are being migrated by ${holder.join(" ")}; it last reported at ${time}.`,
      `Wait for its end; if it is no longer running, try again after ${STALE_MS / 1000} s.`,
    );
  }
}
