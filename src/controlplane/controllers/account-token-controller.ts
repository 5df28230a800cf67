/**
 * Secrets of the type `kubernetes.io/service-account-token`: filled with a token of their account,
 * and deleted with it.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#service-account-token-secrets
 */
import { unlessGone } from "./absence.ts";
import type { ControllerClient, IssueToken, StoreEvent } from "./client.ts";
import { concerns, keyFrom, textOf } from "./keys.ts";
import { SECRETS, SERVICE_ACCOUNTS } from "../builtin/tokens.ts";
import type { Controller } from "./work-loop.ts";

const TYPE = "kubernetes.io/service-account-token";
const ACCOUNT = "kubernetes.io/service-account.name";
const ACCOUNT_UID = "kubernetes.io/service-account.uid";

const encoded = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/** Fills Secrets with tokens. Keys are those of the Secrets. */
export class AccountTokenController implements Controller {
  readonly name = "AccountToken";
  readonly watches = [SECRETS, SERVICE_ACCOUNTS];
  readonly #client: ControllerClient;
  readonly #issue: IssueToken;
  readonly #caCertificate: string;

  constructor(client: ControllerClient, issue: IssueToken, caCertificate: string) {
    this.#client = client;
    this.#issue = issue;
    this.#caCertificate = caCertificate;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, SECRETS)) {
      if (event.object.type === TYPE) yield textOf(event.object);
      return;
    }
    const { namespace = "", name } = event.object.metadata;
    for (const secret of this.#client.list(SECRETS, { namespace })) {
      if (secret.type === TYPE && secret.metadata.annotations?.[ACCOUNT] === name) {
        yield textOf(secret);
      }
    }
  }

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    const secret = this.#client.find(SECRETS, { namespace, name });
    if (!secret || secret.metadata.deletionTimestamp) return;
    const { annotations = {}, uid = "" } = secret.metadata;
    const accountName = annotations[ACCOUNT] ?? "";
    const account = this.#client.find(SERVICE_ACCOUNTS, { namespace, name: accountName });
    const accountUid = account?.metadata.uid ?? "";
    const wantedUid = annotations[ACCOUNT_UID] ?? "";
    if (!account || (wantedUid !== "" && wantedUid !== accountUid)) {
      await unlessGone(this.#client.remove(SECRETS, { namespace, name }, { uid }));
      return;
    }
    const data = secret.data ?? {};
    const token = data["token"] ?? "";
    const certificate = encoded(this.#caCertificate);
    const isFilled = token !== "" && data["ca.crt"] === certificate && data["namespace"];
    if (isFilled && wantedUid === accountUid) return;
    const subject = { namespace, name: accountName, uid: accountUid };
    await unlessGone(
      this.#client.patch(
        SECRETS,
        { namespace, name },
        {
          metadata: { uid, annotations: { [ACCOUNT_UID]: accountUid } },
          data: {
            token: token === "" ? encoded(this.#issue(subject, name)) : token,
            "ca.crt": certificate,
            namespace: data["namespace"] ?? encoded(namespace),
          },
        },
      ),
    );
  }
}
