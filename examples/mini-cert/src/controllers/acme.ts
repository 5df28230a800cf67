/**
 * acme-client as an operator needs it. By itself it waits and tries again; here that is the matter of the work queue, which
 * knows when the operator ends, and what time it is in a test.
 */
import { axios } from "acme-client";

/** Which ACME server is asked, and for whom. */
export interface AcmeOptions {
  readonly directoryUrl: string;
  /** Whom the server writes to when something is wrong. */
  readonly email?: string | undefined;
  /** Reads from the hosts that are to be proven; Node's own when it is absent. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** What the ACME server refused. */
export class AcmeProblem extends Error {
  override readonly name = "AcmeProblem";
  readonly status: number;
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

axios.defaults.timeout = 30_000;
axios.interceptors.response.clear();
// All answers come as errors to this one.
axios.interceptors.response.use(null, (error: { message: string; response?: Answer }) => {
  const { response } = error;
  if (!response) throw new Error(`The ACME server does not answer: ${error.message}`);
  const { status, data, headers } = response;
  // The client asks once more with the nonce that comes with the refusal.
  if (status < 400 || data?.type?.endsWith(":badNonce")) return response;
  const seconds = Number(headers["retry-after"]);
  const message = `The ACME server answers ${status}: ${data?.detail ?? "without a reason"}`;
  throw new AcmeProblem(message, status, seconds > 0 ? seconds * 1000 : undefined);
});

/** As RFC 8555 has it, in 6.7. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data?: { readonly type?: string; readonly detail?: string };
}
