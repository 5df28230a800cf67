/** The forms of reconcilers. */

/** The code of a reconciler that a form places. */
interface Body {
  /** The statements of `reconcile`, in which `key`, `client` and `self` are known. */
  readonly reconcile: string;
  /** Members of a class. */
  readonly members: string;
  /** The statements of `cleanup`, in which `key` and `client` are known. */
  readonly cleanup: string | undefined;
}

/** A form of a reconciler. */
export interface Host {
  readonly name: string;
  /** Whether `this.client` is known, and members have a place. */
  readonly isClass?: boolean;
  /** The text of the controller's file, and the expression of the reconciler. */
  write(body: Body): { readonly controller: string; readonly reconciler: string };
}

const cleanupMethod = ({ cleanup }: Body, client: string): string =>
  cleanup === undefined
    ? ""
    : `async cleanup(page: Page): Promise<void> {\nconst key = keyOf(page);\n${client}${cleanup}\n}`;

/** All forms; the first is the plainest. */
export const HOSTS: readonly Host[] = [
  {
    name: "a class",
    isClass: true,
    write: (body) => ({
      controller: `export class PageReconciler implements Reconciler<Page> {
constructor(readonly client: Client) {}
${body.members}
async reconcile({ key }: Request): Promise<void> {
const { client } = this;
const self = this;
${body.reconcile}
}
${cleanupMethod(body, "const { client } = this;\n")}
}`,
      reconciler: "new controller.PageReconciler(manager.client)",
    }),
  },
  {
    name: "a class with a manager",
    isClass: true,
    write: (body) => ({
      controller: `export class PageReconciler implements Reconciler<Page> {
readonly #manager: Manager;
constructor(manager: Manager) {
this.#manager = manager;
}
get client(): Client {
return this.#manager.client;
}
${body.members}
reconcile = async ({ key }: Request): Promise<void> => {
const client = this.#manager.client;
const self = this;
${body.reconcile}
};
${cleanupMethod(body, "const client = this.client;\n")}
}`,
      reconciler: "new controller.PageReconciler(manager)",
    }),
  },
  {
    name: "a class of a base",
    isClass: true,
    write: (body) => ({
      controller: `abstract class Base<T extends KubeObject> implements Reconciler<T> {
constructor(protected readonly client: Client) {}
async reconcile({ key }: Request): Promise<void> {
await this.handle(key);
}
protected abstract handle(key: ObjectKey): Promise<void>;
}
export class PageReconciler extends Base<Page> {
${body.members}
protected async handle(key: ObjectKey): Promise<void> {
const { client } = this;
const self = this;
${body.reconcile}
}
${cleanupMethod(body, "const { client } = this;\n")}
}`,
      reconciler: "new controller.PageReconciler(manager.client)",
    }),
  },
  {
    name: "an object",
    write: (body) => ({
      controller: `export async function reconcile(client: Client, key: ObjectKey): Promise<void> {
${body.reconcile}
}
${body.cleanup === undefined ? "" : `export async function cleanup(client: Client, key: ObjectKey): Promise<void> {\n${body.cleanup}\n}`}`,
      reconciler: `{ reconcile: async ({ key }) => controller.reconcile(manager.client, key)${body.cleanup === undefined ? "" : ", cleanup: async (page) => controller.cleanup(manager.client, keyOf(page))"} }`,
    }),
  },
  {
    name: "a factory",
    write: (body) => ({
      controller: `export function makeReconciler(client: Client): Reconciler<Page> {
return {
async reconcile({ key }: Request): Promise<void> {
${body.reconcile}
},
${cleanupMethod(body, "")}
};
}`,
      reconciler: "controller.makeReconciler(manager.client)",
    }),
  },
  {
    name: "a factory with a manager",
    write: (body) => ({
      controller: `export const makeReconciler = ({ client }: Manager) => ({
reconcile: async ({ key }: Request): Promise<void> => {
${body.reconcile}
},
${cleanupMethod(body, "")}
});`,
      reconciler: "controller.makeReconciler(manager)",
    }),
  },
];
