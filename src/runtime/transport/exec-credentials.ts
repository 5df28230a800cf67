/**
 * Credentials from a program, as `users[].user.exec` of a kubeconfig asks for.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 * @module
 */
import { execFile } from "node:child_process";
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { CredentialRecipe, CredentialSource, Credentials, ExecConfig } from "./credentials.ts";

interface ExecCredential {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

interface Known {
  readonly credentials: Credentials;
  readonly expiresAtMs: number | undefined;
}

/** Runs the program when it has to, never twice at once, and keeps its answer until it expires. */
export class ExecCredentials implements CredentialSource {
  readonly #config: ExecConfig;
  readonly #clock: Clock;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #known: Known | undefined;
  #running: Promise<Known> | undefined;

  constructor(
    config: ExecConfig,
    clock: Clock,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#config = config;
    this.#clock = clock;
    this.#environment = environment;
  }

  async get(): Promise<Credentials> {
    const { expiresAtMs } = this.#known ?? {};
    if (expiresAtMs !== undefined && this.#clock.now() >= expiresAtMs) this.#known = undefined;
    if (!this.#known) {
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
      this.#known = await this.#running;
    }
    return this.#known.credentials;
  }

  invalidate(): void {
    this.#known = undefined;
  }

  get recipe(): CredentialRecipe {
    return { kind: "exec", config: this.#config, environment: { ...this.#environment } };
  }

  async #run(): Promise<Known> {
    const { apiVersion, command, cluster } = this.#config;
    if (this.#config.interactiveMode === "Always") {
      throw this.#failed("it wants a terminal (interactiveMode: Always), and there is none");
    }
    const info = {
      apiVersion,
      kind: "ExecCredential",
      spec: { interactive: false, ...(cluster ? { cluster } : {}) },
    };
    const answer = parseAnswer(await this.#execute(JSON.stringify(info)));
    if (!answer) throw this.#failed("its output is not JSON");
    if (answer.apiVersion !== apiVersion) {
      throw this.#failed(`it answered in ${String(answer.apiVersion)}, not in ${apiVersion}`);
    }
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } =
      answer.status ?? {};
    if (!token && !(clientCertificateData && clientKeyData)) {
      throw this.#failed(`the answer of ${command} has neither a token nor a certificate and key`);
    }
    return {
      credentials: {
        ...(token ? { token } : {}),
        ...(clientCertificateData && clientKeyData
          ? { certificate: { cert: clientCertificateData, key: clientKeyData } }
          : {}),
      },
      expiresAtMs: expirationTimestamp ? Date.parse(expirationTimestamp) : undefined,
    };
  }

  #execute(info: string): Promise<string> {
    const env: NodeJS.ProcessEnv = { ...this.#environment, KUBERNETES_EXEC_INFO: info };
    for (const { name, value } of this.#config.env ?? []) env[name] = value;
    return new Promise((resolve, reject) => {
      execFile(
        this.#config.command,
        [...(this.#config.args ?? [])],
        { env, maxBuffer: 1 << 20 },
        (error, stdout, stderr) => {
          if (!error) resolve(stdout);
          else reject(this.#failed([messageOf(error), stderr.trim()].join(" ").trim(), error));
        },
      );
    });
  }

  #failed(detail: string, cause?: unknown): TsopError {
    return new TsopError(
      "exec-credentials",
      `The credential program ${this.#config.command} gave no credentials: ${detail}.`,
      this.#config.installHint ?? "Run it by hand to see why; it is named in the kubeconfig.",
      cause === undefined ? undefined : { cause },
    );
  }
}

function parseAnswer(text: string): ExecCredential | undefined {
  try {
    return JSON.parse(text) as ExecCredential;
  } catch {
    return undefined;
  }
}
