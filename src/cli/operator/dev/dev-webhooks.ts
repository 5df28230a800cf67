/**
 * The webhooks of `tsop dev`: the control plane asks the operator that runs here, with a certificate of this session.
 *
 * @module
 */
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../../clock.ts";
import type { ControlPlane } from "../../../controlplane/control-plane.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { ServingCertificate } from "../../../runtime/webhook/certificates/issue.ts";
import { WEBHOOKS_SERVED } from "../../../runtime/webhook/certificate.ts";
import { writePrivateFile } from "../../project/private-file.ts";
import { parseLogEntry } from "../log-lines.ts";
import { askedServices, certificateFor, withAuthority } from "../local-webhooks.ts";

const FOLDER = ".tsop/dev/webhook";

/** The webhooks of one session. */
export class DevWebhooks {
  readonly #root: string;
  readonly #controlPlane: ControlPlane;
  readonly #clock: Clock;
  #services: readonly string[] = [];
  #certificate: ServingCertificate | undefined;
  #port = 0;

  constructor(root: string, controlPlane: ControlPlane, clock: Clock) {
    this.#root = root;
    this.#controlPlane = controlPlane;
    this.#clock = clock;
  }

  /** What the operator is started with, once `prepare` knows it. */
  get args(): readonly string[] {
    if (this.#services.length === 0) return [];
    return [`--webhook-port=${this.#port}`, `--webhook-cert-path=${join(this.#root, FOLDER)}`];
  }

  /** The objects as they ask the operator that runs here; those that ask nobody stay as they are. */
  async prepare(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
    const services = askedServices(objects);
    if (services.join() !== this.#services.join()) {
      for (const service of this.#services) this.#controlPlane.routeService(service, undefined);
      this.#services = services;
      this.#certificate = await certificateFor(objects, this.#clock);
    }
    if (!this.#certificate) return objects;
    if (this.#port === 0) this.#port = await freePort();
    const { certificate, key } = this.#certificate;
    writePrivateFile(join(this.#root, FOLDER, "tls.crt"), certificate);
    writePrivateFile(join(this.#root, FOLDER, "tls.key"), key);
    return withAuthority(objects, this.#certificate);
  }

  /**
   * Requests wait from now on until the operator that is being started serves its webhooks.
   *
   * @returns takes the lines of its log
   */
  starting(): (line: string) => void {
    let served: (address: string) => void = () => undefined;
    const address = new Promise<string>((resolve) => {
      served = resolve;
    });
    for (const service of this.#services) this.#controlPlane.routeService(service, address);
    return (line) => {
      if (line.includes(WEBHOOKS_SERVED) && parseLogEntry(line)?.["msg"] === WEBHOOKS_SERVED) {
        served(`127.0.0.1:${this.#port}`);
      }
    };
  }
}

/** A port that nobody has; the operator is told to take it. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
