/**
 * Credentials from a program, as configured by `users[].user.exec` of a kubeconfig.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
import { isatty } from "node:tty";
import { isMainThread } from "node:worker_threads";
import { abortReason, timeoutSignal, type Clock } from "../../../clock.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { TsopError } from "../../../errors.ts";
import { CertificateError, readPair } from "./certificates.ts";
import type { CredentialRecipe, CredentialSource, Credentials, ExecConfig } from "./credentials.ts";
import { ProgramFailure, runProgram } from "./exec-program.ts";
import { isHeaderValue } from "../../header.ts";

/** The versions of the protocol that client-go supports. */
export const EXEC_API_VERSIONS: readonly string[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** The time limit of a program: it may wait for a person at a browser. */
const LIMIT_MS = 4 * 60_000;
const STDIN = 0;

interface Known {
  readonly credentials: Credentials;
  readonly expiresAtMs: number | undefined;
}

/** A run of the program, and the number of callers that wait for it. */
interface Run {
  readonly known: Promise<Known>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Runs the program when needed, never twice at once, and keeps its answer until it expires. A run
 * is ended when no caller waits for it any more.
 */
export class ExecCredentials implements CredentialSource {
  readonly #config: ExecConfig;
  readonly #clock: Clock;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #known: Known | undefined;
  #run: Run | undefined;

  constructor(
    config: ExecConfig,
    clock: Clock,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#config = config;
    this.#clock = clock;
    this.#environment = environment;
  }

  async get(signal?: AbortSignal): Promise<Credentials> {
    signal?.throwIfAborted();
    const { expiresAtMs } = this.#known ?? {};
    if (expiresAtMs !== undefined && this.#clock.now() >= expiresAtMs) this.#known = undefined;
    this.#known ??= await this.#wait(signal);
    return this.#known.credentials;
  }

  invalidate(): void {
    this.#known = undefined;
  }

  get recipe(): CredentialRecipe {
    return { kind: "exec", config: this.#config, environment: { ...this.#environment } };
  }

  #wait(signal: AbortSignal | undefined): Promise<Known> {
    const run = (this.#run ??= this.#start());
    run.waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(abortReason(signal));
        run.waiting -= 1;
        if (run.waiting > 0) return;
        if (this.#run === run) this.#run = undefined;
        run.stop.abort(abortReason(signal));
      };
      signal?.addEventListener("abort", leave, { once: true });
      run.known.then(resolve, reject).finally(() => {
        signal?.removeEventListener("abort", leave);
      });
    });
  }

  #start(): Run {
    const stop = new AbortController();
    const limit = timeoutSignal(this.#clock, LIMIT_MS, stop.signal);
    const known = this.#ask(limit.signal).finally(() => {
      limit.clear();
      if (this.#run === run) this.#run = undefined;
    });
    const run: Run = { known, stop, waiting: 0 };
    return run;
  }

  async #ask(signal: AbortSignal): Promise<Known> {
    const { apiVersion, command, cluster, interactiveMode = "IfAvailable" } = this.#config;
    const hasTerminal = isMainThread && isatty(STDIN);
    if (interactiveMode === "Always" && !hasTerminal) {
      throw this.#failed("it needs a terminal (interactiveMode: Always), and there is none");
    }
    const interactive = interactiveMode !== "Never" && hasTerminal;
    const info = {
      kind: "ExecCredential",
      apiVersion,
      spec: { ...(cluster ? { cluster } : {}), interactive },
    };
    try {
      const output = await runProgram({
        command,
        args: this.#config.args ?? [],
        environment: {
          ...this.#environment,
          ...Object.fromEntries((this.#config.env ?? []).map(({ name, value }) => [name, value])),
          KUBERNETES_EXEC_INFO: JSON.stringify(info),
        },
        interactive,
        signal,
        clock: this.#clock,
      });
      return readAnswer(output, apiVersion);
    } catch (error) {
      if (error instanceof ProgramFailure) throw this.#failed(error.message, error.missing);
      if (error instanceof DOMException && error.name === "TimeoutError") {
        throw this.#failed(`it did not end within ${LIMIT_MS / 60_000} minutes`);
      }
      throw error;
    }
  }

  #failed(detail: string, missing = false): TsopError {
    const { command, installHint } = this.#config;
    return new TsopError(
      "exec-credentials",
      `The credential program ${command} gave no credentials: ${detail}.`,
      missing && installHint !== undefined
        ? printable(installHint)
        : "Run it by hand to see why; it is the user's exec in the kubeconfig, with its arguments.",
    );
  }
}

/** @throws ProgramFailure for what is not an answer */
function readAnswer(output: string, apiVersion: string): Known {
  const answer = parseJson(output);
  if (!isJsonObject(answer)) throw new ProgramFailure("its output is not a JSON object");
  if (answer["kind"] !== "ExecCredential") {
    throw new ProgramFailure("its output is not an ExecCredential");
  }
  if (answer["apiVersion"] !== apiVersion) {
    throw new ProgramFailure(`its answer is not in ${apiVersion}, as the kubeconfig asks`);
  }
  const { status } = answer;
  if (!isJsonObject(status)) throw new ProgramFailure("its output has no status");
  const text = (name: string): string => {
    const value = status[name] ?? "";
    if (typeof value === "string") return value;
    throw new ProgramFailure(`status.${name} of its answer is not text`);
  };
  const token = text("token");
  const cert = text("clientCertificateData");
  const key = text("clientKeyData");
  if (!isHeaderValue(token)) {
    throw new ProgramFailure("the token of its answer has line breaks or control characters");
  }
  if ((cert === "") !== (key === "")) {
    throw new ProgramFailure("its output has only one of certificate and key");
  }
  if (token === "" && cert === "") {
    throw new ProgramFailure("its answer has neither a token nor a certificate and key");
  }
  const expiry = text("expirationTimestamp");
  const expiresAtMs = expiry === "" ? undefined : parseTime(expiry);
  return {
    credentials: {
      ...(token === "" ? {} : { token }),
      ...(cert === "" ? {} : { certificate: pairOf(cert, key) }),
    },
    expiresAtMs,
  };
}

function pairOf(cert: string, key: string): { cert: string; key: string } {
  try {
    return readPair(cert, key);
  } catch (error) {
    if (error instanceof CertificateError) {
      throw new ProgramFailure(`its answer cannot be used: ${error.message}`);
    }
    throw error;
  }
}

// RFC 3339, the format of times in Kubernetes.
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function parseTime(text: string): number {
  const atMs = TIME.test(text) ? Date.parse(text.toUpperCase()) : NaN;
  if (Number.isNaN(atMs)) {
    throw new ProgramFailure("status.expirationTimestamp of its answer is not a time");
  }
  return atMs;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text without characters that would change the state of a terminal. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- those are what is left out
  return text.replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g, "");
}
