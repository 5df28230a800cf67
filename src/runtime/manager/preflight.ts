/**
 * Checks at the start whether the operator has the rights that it needs, and names each missing
 * rule. It checks again until nothing is missing, so that nobody need restart the operator.
 */
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { apiVersionOf, groupResourceOf } from "../../kube/resource.ts";
import { isAllowed, type PlannedAccess } from "../client/access.ts";
import type { Client } from "../client/client.ts";
import { ruleAdvice } from "../rest/rights-advice.ts";

const AGAIN_AFTER_MS = 15_000;

export interface PreflightParts {
  /** The client that checks the rights of the operator; neither fenced nor a dry run. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The access that is planned now; called again for each check. */
  readonly planned: () => readonly PlannedAccess[];
}

export class Preflight {
  readonly needLeaderElection = false;
  readonly #parts: PreflightParts;
  #missing: readonly string[] = [];

  constructor(parts: PreflightParts) {
    this.#parts = parts;
  }

  /** Passes, or throws an error with all that is missing and the remedies. */
  async check(): Promise<void> {
    // A kind that was served once is the informers' concern.
    if (this.#missing.length > 0) await this.#look();
    if (this.#missing.length > 0) throw new Error(this.#missing.join(" "));
  }

  /** Ends when nothing is missing any more, or `signal` is aborted. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#look(signal);
    while (this.#missing.length > 0) {
      try {
        await this.#parts.clock.sleep(AGAIN_AFTER_MS, signal);
      } catch {
        return;
      }
      await this.#look(signal);
    }
  }

  async #look(signal?: AbortSignal): Promise<void> {
    const { log, planned } = this.#parts;
    const missing: string[] = [];
    // One after the other: nobody waits for the result, and the server is busy at the start.
    for (const access of planned()) missing.push(...(await this.#find(access, signal)));
    for (const problem of missing) {
      if (!this.#missing.includes(problem)) log.error(problem);
    }
    if (this.#missing.length > 0 && missing.length === 0) log.info("nothing is missing any more");
    this.#missing = missing;
  }

  async #find(access: PlannedAccess, signal?: AbortSignal): Promise<string[]> {
    const { client, log } = this.#parts;
    const { resource, verbs, namespace } = access;
    const name = `${groupResourceOf(resource)}${access.name === undefined ? "" : ` ${access.name}`}`;
    try {
      const denied: string[] = [];
      for (const verb of verbs) {
        const wanted = { verb, resource, namespace, name: access.name };
        if ((await isAllowed(client, wanted, signal)) === false) denied.push(verb);
      }
      const where = namespace === undefined ? "" : ` in ${namespace}`;
      const { advice = ruleAdvice(resource.group, resource.plural, verbs) } = access;
      const rights =
        denied.length === 0
          ? []
          : [`The operator is not allowed to ${denied.join(", ")} ${name}${where}. ${advice}.`];
      await client.dynamic(apiVersionOf(resource), resource.kind, resource.plural);
      return rights;
    } catch (error) {
      if (error instanceof TsopError && error.code === "kind-not-served") {
        return [`${error.message} ${error.fix}`];
      }
      // A server that cannot answer leaves the rights unknown; the informers will find out.
      log.debug({ err: error }, `could not check the permissions for ${name}: ${messageOf(error)}`);
      return [];
    }
  }
}
