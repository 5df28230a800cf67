import {
  controllerFor,
  CustomResource,
  Resource,
  type Client,
  type Manager,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";

export class TaskSpec {
  title: string = "";
}

export class TaskStatus {
  doneBy?: string;
}

@Resource({ group: "tasks.example.com", version: "v1" })
export class Task extends CustomResource<TaskSpec, TaskStatus> {}

/** Writes into the status which process did the work. */
class TaskReconciler implements Reconciler<Task> {
  readonly #client: Client;
  readonly #me: string;

  constructor(client: Client, me: string) {
    this.#client = client;
    this.#me = me;
  }

  async reconcile({ key }: Request): Promise<void> {
    const task = await this.#client.find(Task, key);
    if (task && task.status?.doneBy === undefined) {
      await this.#client.status.patch(task, { doneBy: this.#me });
    }
  }
}

export function setUpTask(manager: Manager, me: string): void {
  controllerFor(manager).for(Task).complete(new TaskReconciler(manager.client, me));
}
