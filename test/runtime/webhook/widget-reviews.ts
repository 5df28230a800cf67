/** A kind with a validator, and an API server that asks it. */
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { CustomResource, Resource, ValidatingWebhook, type Validator } from "../../../src/index.ts";
import { reviewOf } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
export class Widget extends CustomResource {}

@ValidatingWebhook(Widget, { path: "/validate" })
export class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {}
}

const object = { apiVersion: "shop.example.com/v1", kind: "Widget", metadata: {} };

/** The API server: it keeps its connections as long as it may. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  /** The status, the body, and what the answer does with its connection. */
  ask(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: "127.0.0.1",
        port,
        path: "/validate?timeout=10s",
        method: "POST",
        headers: { "Content-Type": "application/json" },
        agent: this.#agent,
      });
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        text(response).then((body) => {
          const { allowed } = (JSON.parse(body) as { response: { allowed: boolean } }).response;
          resolve(`${response.statusCode} ${allowed} ${response.headers.connection}`);
        }, reject);
      });
      outgoing.end(JSON.stringify(reviewOf({ uid: "u", object })));
    });
  }

  end(): void {
    this.#agent.destroy();
  }
}
