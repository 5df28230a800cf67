/**
 * The credentials with which admission webhooks are called: users of a kubeconfig, each named as the webhooks that it is for. Conversion webhooks are called without.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { messageOf, TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import { present } from "../../present.ts";

/** A certificate in PEM, and what goes into the header `Authorization`; each is optional. */
export interface WebhookCredentials {
  readonly cert?: string;
  readonly key?: string;
  readonly authorization?: string;
}

const DEFAULT_PORT = ":443";

export class WebhookUsers {
  readonly #users: ReadonlyMap<string, WebhookCredentials>;

  constructor(users: ReadonlyMap<string, WebhookCredentials> = new Map()) {
    this.#users = users;
  }

  /**
   * Reads the users of a kubeconfig.
   *
   * @throws TsopError `webhook-kubeconfig-unreadable`
   */
  static from(path: string): WebhookUsers {
    try {
      const config: unknown = parse(readFileSync(path, "utf8"));
      const users = isJsonObject(config) && Array.isArray(config["users"]) ? config["users"] : [];
      return new WebhookUsers(
        new Map(
          users
            .filter(isJsonObject)
            .map(({ name, user }) => [
              String(name),
              credentialsOf(isJsonObject(user) ? user : {}, dirname(path)),
            ]),
        ),
      );
    } catch (error) {
      throw new TsopError(
        "webhook-kubeconfig-unreadable",
        `The kubeconfig of the webhooks ${path} cannot be used: ${messageOf(error)}.`,
        "Give a kubeconfig with a user for each webhook server, such as `*.svc`, with a certificate and its key.",
        { cause: error },
      );
    }
  }

  /**
   * The credentials for a server, in the order of kube-apiserver: the whole name, then `*.` and the rest of it, both with and without the port 443, then `*`.
   *
   * @param target - `name.namespace.svc:443`, or the host of a URL
   */
  of(target: string): WebhookCredentials {
    const plain = target.endsWith(DEFAULT_PORT) ? target.slice(0, -DEFAULT_PORT.length) : undefined;
    const names = [target, ...(plain === undefined ? [] : [plain])].flatMap((name) => {
      const parts = name.split(".");
      return [name, ...parts.slice(1).map((_, at) => `*.${parts.slice(at + 1).join(".")}`)];
    });
    for (const name of [...names, "*"]) {
      const found = this.#users.get(name);
      if (found) return found;
    }
    return {};
  }
}

function credentialsOf(
  user: Readonly<Record<string, unknown>>,
  folder: string,
): WebhookCredentials {
  const text = (name: string): string | undefined => {
    const value = user[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const content = (name: string): string | undefined => {
    const data = text(`${name}-data`);
    if (data !== undefined) return Buffer.from(data, "base64").toString();
    const file = text(name);
    return file === undefined ? undefined : readFileSync(resolve(folder, file), "utf8");
  };
  const token = text("token");
  const [name, password] = [text("username"), text("password")];
  const basic =
    name === undefined
      ? undefined
      : `Basic ${Buffer.from(`${name}:${password ?? ""}`).toString("base64")}`;
  return present({
    cert: content("client-certificate"),
    key: content("client-key"),
    authorization: token === undefined ? basic : `Bearer ${token}`,
  });
}
