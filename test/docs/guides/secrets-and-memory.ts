import {
  cacheOf,
  controllerFor,
  CustomResource,
  hashOf,
  keyOf,
  metadataOf,
  Resource,
  type KindCache,
  type Manager,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";
import { Secret } from "../../../src/k8s.ts";

export class LoginSpec {
  secretName!: string;
}

export class LoginStatus {
  passwordHash?: string;
}

@Resource({ group: "logins.example.com", version: "v1" })
export class Login extends CustomResource<LoginSpec, LoginStatus> {}

/** Reads the one Secret that a Login names, when it is needed. */
class LoginReconciler implements Reconciler<Login> {
  readonly #manager: Manager;

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  async reconcile({ key }: Request): Promise<void> {
    const { client } = this.#manager;
    const login = await client.find(Login, key);
    if (!login) return;
    const named = { ...key, name: login.spec.secretName };
    const secret = await client.live.find(Secret, named); // from the API server, and not kept
    await client.status.patch(login, {
      passwordHash: secret ? hashOf(secret.data?.["password"]) : null,
    });
  }
}

export function setUpLogin(manager: Manager): void {
  const { client } = manager;
  controllerFor(manager)
    .for(Login, { indexes: { secret: ({ spec }) => [spec.secretName] } })
    // Names, labels and versions of all Secrets are enough to notice a change: no value is in memory.
    .watches(metadataOf(Secret), {
      map: async ({ metadata: { namespace, name } }) => {
        const index = { name: "secret", value: name };
        return (await client.list(Login, { namespace, index })).map(keyOf);
      },
    })
    .complete(new LoginReconciler(manager));
}

/** For `createManager({ cache: { kinds: [ownSecrets] } })`: only Secrets with a label, whole. */
export const ownSecrets: KindCache = cacheOf(Secret, {
  labels: { "app.kubernetes.io/managed-by": "login-operator" },
});

/** Of every Secret the keys, without their values. */
export const keysOfSecrets: KindCache = cacheOf(Secret, {
  transform: (secret) => {
    for (const key of Object.keys(secret.data ?? {})) secret.data = { ...secret.data, [key]: "" };
    return secret;
  },
});
