/** The forms of reconcilers, and of the programs that start them. */

/** The code of a reconciler that a form places. */
export interface Body {
  /** The statements of `reconcile`, in which `key`, `client` and `self` are known. */
  reconcile(levels: number): string;
  /** Members of a class. */
  readonly members: string;
}

/** A form of a reconciler. */
export interface Host {
  readonly name: string;
  /** Whether `this.client` is known, and members have a place. */
  readonly isClass?: boolean;
  /** The text of the controller's file and of the file that starts it. */
  write(body: Body): { readonly controller: string; readonly main: string };
}

const main = (reconciler: string, builder = ""): string =>
  `export function start(options: ManagerOptions): Manager {
  const manager = createManager({ ...options, name: "judge" });
  controllerFor(manager).for(Page)${builder}.complete(${reconciler});
  return manager;
}`;

/** All forms; the first is the plainest. */
export const HOSTS: readonly Host[] = [
  {
    name: "a class",
    isClass: true,
    write: ({ reconcile, members }) => ({
      controller: `export class PageReconciler implements Reconciler {
  constructor(readonly client: Client) {}
${members}
  async reconcile({ key }: Request): Promise<void> {
    const { client } = this;
    const self = this;
${reconcile(2)}
  }
}`,
      main: main("new controller.PageReconciler(manager.client)"),
    }),
  },
  {
    name: "a class with a manager",
    isClass: true,
    write: ({ reconcile, members }) => ({
      controller: `export class PageReconciler implements Reconciler {
  readonly #manager: Manager;
  constructor(manager: Manager) {
    this.#manager = manager;
  }
  get client(): Client {
    return this.#manager.client;
  }
${members}
  reconcile = async ({ key }: Request): Promise<void> => {
    const client = this.#manager.client;
    const self = this;
${reconcile(2)}
  };
}`,
      main: main("new controller.PageReconciler(manager)"),
    }),
  },
  {
    name: "an object",
    write: ({ reconcile }) => ({
      controller: `export async function reconcile(client: Client, key: ObjectKey): Promise<void> {
${reconcile(1)}
}`,
      main: main("{ reconcile: async ({ key }) => controller.reconcile(manager.client, key) }"),
    }),
  },
  {
    name: "a factory",
    write: ({ reconcile }) => ({
      controller: `export function makeReconciler(client: Client): Reconciler {
  return {
    async reconcile({ key }: Request): Promise<void> {
${reconcile(3)}
    },
  };
}`,
      main: main("controller.makeReconciler(manager.client)"),
    }),
  },
  {
    name: "a factory with a manager",
    write: ({ reconcile }) => ({
      controller: `export const makeReconciler = ({ client }: Manager) => ({
  reconcile: async ({ key }: Request): Promise<void> => {
${reconcile(2)}
  },
});`,
      main: main("controller.makeReconciler(manager)"),
    }),
  },
];
