/** Notices renewed servers, certificates and tokens, and reports each change once. */
import { X509Certificate } from "node:crypto";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Credentials, CredentialRecipe } from "./credentials/credentials.ts";
import type { TrustItem, TrustObserver } from "./trust-observer.ts";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

export class TrustReporter {
  #observer: TrustObserver | undefined;
  readonly #values = new Map<TrustItem["what"], string>();
  #problem: string | undefined;

  /** From now on; the next request reports all that is in use. */
  observe(observer: TrustObserver): void {
    this.#observer = observer;
  }

  saw(config: ClusterConfig, credentials: Credentials): void {
    if (!this.#observer) return;
    const { server, ca, caFile, credentials: source } = config;
    const { certificate, token } = credentials;
    this.#compare("server", server, () => ({ address: server }));
    this.#compare("certificate-authority", ca, () => ({ file: caFile, ...periodOf(ca, "last") }));
    this.#compare("client-certificate", certificate?.cert, () => ({
      file: fileOf(source.recipe, "certificate-files"),
      // A program is called again by itself.
      ...(source.recipe?.kind === "exec" ? {} : periodOf(certificate?.cert, "first")),
    }));
    this.#compare("token", token, () => ({
      file: fileOf(source.recipe, "token-file"),
      ...tokenPeriodOf(token),
    }));
    const problem = config.source?.problem ?? source.problem;
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#observer.unusable(problem);
  }

  #compare(
    what: TrustItem["what"],
    value: string | undefined,
    detailsOf: () => Omit<TrustItem, "what">,
  ): void {
    const known = this.#values.get(what);
    if (value === undefined || value === known) return;
    this.#values.set(what, value);
    this.#observer?.used({ what, ...detailsOf() }, known !== undefined);
  }
}

type Period = Pick<TrustItem, "validFromMs" | "validUntilMs">;

/** The period of the first certificate, or of the one that expires last: the new one of a bundle. */
function periodOf(pem: string | undefined, which: "first" | "last"): Period {
  const blocks = pem?.match(BLOCK) ?? [];
  const periods = (which === "first" ? blocks.slice(0, 1) : blocks).map((block) => {
    const { validFrom, validTo } = new X509Certificate(block);
    return { validFromMs: Date.parse(validFrom), validUntilMs: Date.parse(validTo) };
  });
  return periods.sort((a, b) => b.validUntilMs - a.validUntilMs)[0] ?? {};
}

/** The period of a JSON Web Token; none for any other token. */
function tokenPeriodOf(token = ""): Period {
  try {
    const [, payload = ""] = token.split(".");
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp?: unknown };
    return typeof exp === "number" ? { validUntilMs: exp * 1000 } : {};
  } catch {
    return {};
  }
}

function fileOf(
  recipe: CredentialRecipe | undefined,
  kind: "token-file" | "certificate-files",
): string | undefined {
  if (recipe?.kind === "combined") {
    return recipe.parts.map((part) => fileOf(part, kind)).find((file) => file !== undefined);
  }
  if (recipe?.kind !== kind) return undefined;
  return recipe.kind === "token-file" ? recipe.path : recipe.files.cert;
}
