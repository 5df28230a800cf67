/** The webhook server of an operator that runs on this machine: a port, and a certificate of this session. */
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../clock.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { present } from "../../present.ts";
import {
  OPERATOR_NAMESPACE_VARIABLE,
  WEBHOOK_HOST_VARIABLE,
  WEBHOOKS_SERVED,
} from "../../runtime/webhook/certificate.ts";
import type { ServingCertificate } from "../../runtime/webhook/certificates/issue.ts";
import { writePrivateFile } from "../project/private-file.ts";
import { askedServices, certificateFor } from "../cluster/local-webhooks.ts";
import { parseLogEntry } from "./log-lines.ts";

/** The place of the files, and the facts about the server that are known before it is started. */
export interface OperatorWebhooksOptions {
  /** The folder for `tls.crt` and `tls.key`. */
  readonly folder: string;
  readonly clock: Clock;
  /** Names and addresses beside those of the Services and of this machine. */
  readonly hosts?: readonly string[];
  /** The port; a free one when absent. */
  readonly port?: number;
  /** The address on which the operator listens; all addresses when absent. */
  readonly listensOn?: string | undefined;
}

export class OperatorWebhooks {
  readonly #options: OperatorWebhooksOptions;
  #services: readonly string[] = [];
  #certificate: ServingCertificate | undefined;
  #port: number;

  constructor(options: OperatorWebhooksOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  /** The Services that are asked, as `namespace/name`. */
  get services(): readonly string[] {
    return this.#services;
  }

  /** The port on which the operator will listen, once an object asks it. */
  get port(): number {
    return this.#port;
  }

  get env(): Readonly<Record<string, string>> {
    const [namespace] = this.#services[0]?.split("/") ?? [];
    return present({
      [WEBHOOK_HOST_VARIABLE]: this.#options.listensOn,
      [OPERATOR_NAMESPACE_VARIABLE]: namespace,
    });
  }

  get args(): readonly string[] {
    if (!this.#certificate) return [];
    const { folder } = this.#options;
    return [`--webhook-port=${this.#port}`, `--webhook-cert-path=${folder}`];
  }

  /**
   * Prepares the server for the objects; `undefined` where none of them asks it. The certificate
   * stays while the Services do.
   */
  async prepare(objects: readonly ManifestObject[]): Promise<ServingCertificate | undefined> {
    const { folder, clock, hosts } = this.#options;
    const services = askedServices(objects);
    if (services.join() !== this.#services.join()) {
      this.#services = services;
      this.#certificate = certificateFor(objects, clock, hosts);
    }
    if (!this.#certificate) return undefined;
    if (this.#port === 0) this.#port = await freePort(this.#options.listensOn);
    writePrivateFile(join(folder, "tls.crt"), this.#certificate.certificate);
    writePrivateFile(join(folder, "tls.key"), this.#certificate.key);
    return this.#certificate;
  }
}

/** Whether a line of an operator's log says that its webhooks are served. */
export const tellsWebhooksServed = (line: string): boolean =>
  line.includes(WEBHOOKS_SERVED) && parseLogEntry(line)?.["msg"] === WEBHOOKS_SERVED;

/** A port that nobody has; the operator is told to take it. */
async function freePort(host: string | undefined): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
