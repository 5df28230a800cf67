/**
 * The webhooks of a manager.
 *
 * @module
 */
import { bindMethods } from "../bind-methods.ts";
import { type WebhookHandler, WebhookHandlers } from "./handlers.ts";

/** What answers the reviews that the API server asks for. */
export interface Webhooks {
  /**
   * Adds what answers a webhook, before `manager.start`: an object whose class wears `@MutatingWebhook`,
   * `@ValidatingWebhook` or `@ConversionWebhook`.
   *
   * @throws TsopError `webhook-without-marker`, `webhook-without-method`, `webhook-method-not-asked`,
   *   `webhook-without-path`, `webhook-path-taken`, `conversion-exists`, `conversion-with-two-hubs`
   */
  add(handler: WebhookHandler): void;
}

/** Holds the handlers. */
export class WebhookHost implements Webhooks {
  readonly #handlers = new WebhookHandlers();

  constructor() {
    bindMethods(this, WebhookHost);
  }

  add(handler: WebhookHandler): void {
    this.#handlers.add(handler);
  }
}
