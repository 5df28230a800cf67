import {
  formatKey,
  keyOf,
  ValidatingWebhook,
  type Client,
  type Unstored,
  type ValidationReview,
  type Validator,
} from "tsop";
import { Gateway, type Host } from "../api/v1/gateway.ts";
import { OF_USERS } from "./namespaces.ts";

/**
 * Refuses a host that another Gateway serves. What one object says alone is in the schema: the API server checks that
 * itself, and no operator has to run for it.
 */
@ValidatingWebhook(Gateway, {
  // Two Gateways of one host would answer in turns: better wait for the operator.
  failurePolicy: "Fail",
  namespaceSelector: OF_USERS,
})
export class GatewayValidator implements Validator<Gateway> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  validateCreate(gateway: Unstored<Gateway>, review: ValidationReview<Gateway>): Promise<void> {
    return this.#checkHosts(gateway, [], review);
  }

  /** Only new hosts: objects whose hosts are already taken must stay changeable; otherwise nobody can fix them. */
  validateUpdate(gateway: Gateway, old: Gateway, review: ValidationReview<Gateway>): Promise<void> {
    return this.#checkHosts(gateway, old.spec.hosts ?? [], review);
  }

  async #checkHosts(
    { metadata, spec }: Unstored<Gateway>,
    before: readonly Host[],
    review: ValidationReview<Gateway>,
  ): Promise<void> {
    const gateways = await this.#client.list(Gateway);
    const others = gateways.filter(({ metadata: { uid } }) => uid !== metadata.uid);
    for (const [index, host] of (spec.hosts ?? []).entries()) {
      if (before.includes(host)) continue;
      const owner = others.find((other) => other.spec.hosts?.includes(host));
      if (owner) {
        review.invalid(
          (gateway) => gateway.spec.hosts?.[index],
          `is served by ${formatKey(keyOf(owner))}`,
        );
      }
    }
  }
}
