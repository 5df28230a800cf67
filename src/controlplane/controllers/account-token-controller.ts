/**
 * Secrets of the type `kubernetes.io/service-account-token`: filled with a token of their account,
 * and deleted with it.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#service-account-token-secrets
 */
import type { Secret } from "../builtin/kinds/core/secret.ts";
import { unlessGone } from "./framework/absence.ts";
import type { IssueToken } from "./framework/client.ts";
import { textOf } from "./framework/keys.ts";
import { SECRETS, SERVICE_ACCOUNTS } from "../builtin/tokens.ts";
import { ObjectController, type Tools, watch } from "./framework/controller.ts";

const TYPE = "kubernetes.io/service-account-token";
const ACCOUNT = "kubernetes.io/service-account.name";
const ACCOUNT_UID = "kubernetes.io/service-account.uid";

const encoded = (text: string): string => Buffer.from(text, "utf8").toString("base64");

export class AccountTokenController extends ObjectController<Secret> {
  readonly name = "AccountToken";
  readonly resource = SECRETS;
  readonly watches = [
    watch(SECRETS),
    watch(SERVICE_ACCOUNTS, ({ object: { metadata: account } }) =>
      this.client
        .list(SECRETS, { namespace: account.namespace ?? "" })
        .filter(({ metadata }) => metadata.annotations?.[ACCOUNT] === account.name)
        .map(textOf),
    ),
  ];
  readonly #issue: IssueToken;
  readonly #caCertificate: string;

  constructor(tools: Tools, issue: IssueToken, caCertificate: string) {
    super(tools);
    this.#issue = issue;
    this.#caCertificate = caCertificate;
  }

  protected async reconcile(secret: Secret): Promise<undefined> {
    if (secret.type !== TYPE || secret.metadata.deletionTimestamp) return;
    const { namespace = "", name = "", annotations = {}, uid = "" } = secret.metadata;
    const accountName = annotations[ACCOUNT] ?? "";
    const account = this.client.find(SERVICE_ACCOUNTS, { namespace, name: accountName });
    const accountUid = account?.metadata.uid ?? "";
    const wantedUid = annotations[ACCOUNT_UID] ?? "";
    if (!account || (wantedUid !== "" && wantedUid !== accountUid)) {
      await unlessGone(this.client.remove(SECRETS, secret.metadata, { uid }));
      return;
    }
    const data = secret.data ?? {};
    const token = data["token"] ?? "";
    const certificate = encoded(this.#caCertificate);
    const isFilled = token !== "" && data["ca.crt"] === certificate && data["namespace"];
    if (isFilled && wantedUid === accountUid) return;
    const subject = { namespace, name: accountName, uid: accountUid };
    const patch = {
      metadata: { uid, annotations: { [ACCOUNT_UID]: accountUid } },
      data: {
        token: token === "" ? encoded(this.#issue(subject, name)) : token,
        "ca.crt": certificate,
        namespace: data["namespace"] ?? encoded(namespace),
      },
    };
    await unlessGone(this.client.patch(SECRETS, secret.metadata, patch));
  }
}
