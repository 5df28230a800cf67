/**
 * The webhooks of `tsop dev`: the control plane asks the operator that runs here, with a certificate of this session.
 */
import { join } from "node:path";
import type { Clock } from "../../../clock.ts";
import type { ControlPlane } from "../../../controlplane/control-plane.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { withAuthority } from "../../cluster/local-webhooks.ts";
import { generatedPath } from "../../project/tsop-folder.ts";
import { OperatorWebhooks, tellsWebhooksServed } from "../operator-webhooks.ts";

const FOLDER = generatedPath("dev", "webhook");
/** The control plane is in this process: nobody else asks. */
const LOOPBACK = "127.0.0.1";

export class DevWebhooks {
  readonly #controlPlane: Pick<ControlPlane, "routeService">;
  readonly #server: OperatorWebhooks;
  /** The operator that requests wait for while none serves. */
  #next: NextOperator | undefined;

  constructor(root: string, controlPlane: Pick<ControlPlane, "routeService">, clock: Clock) {
    this.#controlPlane = controlPlane;
    this.#server = new OperatorWebhooks({
      folder: join(root, FOLDER),
      clock,
      listensOn: LOOPBACK,
    });
  }

  /** The operator's arguments, once `prepare` knows them. */
  get args(): readonly string[] {
    return this.#server.args;
  }

  get env(): Readonly<Record<string, string>> {
    return this.#server.env;
  }

  /** The objects as they ask the operator that runs here; those that ask nobody stay as they are. */
  async prepare(objects: readonly ManifestObject[]): Promise<readonly ManifestObject[]> {
    const before = this.#server.services;
    const certificate = await this.#server.prepare(objects);
    const gone = before.filter((service) => !this.#server.services.includes(service));
    for (const service of gone) this.#controlPlane.routeService(service, undefined);
    return certificate ? withAuthority(objects, certificate) : objects;
  }

  /**
   * Holds requests back until an operator serves its webhooks again. Requests that wait already
   * wait for the same one: a reload pauses when it ends the operator before, and when it starts the
   * next.
   */
  pause(): void {
    this.#next ??= nextOperator();
    const { address } = this.#next;
    for (const service of this.#server.services) this.#controlPlane.routeService(service, address);
  }

  /** Takes the lines of the operator's log. */
  hear(line: string): void {
    if (!tellsWebhooksServed(line)) return;
    this.#next?.serves(`${LOOPBACK}:${this.#server.port}`);
    this.#next = undefined;
  }
}

/** An operator that does not serve yet. */
interface NextOperator {
  readonly address: Promise<string>;
  serves(address: string): void;
}

function nextOperator(): NextOperator {
  let serves: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    serves = resolve;
  });
  return { address, serves };
}
