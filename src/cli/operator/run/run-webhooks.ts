/** The webhooks of `tsop run`: as long as the operator runs here, the API server asks it. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { messageOf, TsopError } from "../../../errors.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { putBackFromRun, redirectToRun, type AnsweringRun } from "../../cluster/answering.ts";
import type { ClusterSession } from "../../cluster/cluster-session.ts";
import { ownerName } from "../../cluster/ownership.ts";
import { checkRights } from "../../cluster/missing-rights.ts";
import type { CliContext } from "../../context.ts";
import { paint } from "../../output.ts";
import type { Project } from "../../project/project-file.ts";
import { generatedPath } from "../../project/tsop-folder.ts";
import {
  askedServices,
  askingAddress,
  isConverted,
  isWebhookConfiguration,
} from "../../cluster/local-webhooks.ts";
import { OperatorWebhooks, tellsWebhooksServed } from "../operator-webhooks.ts";
import { listeningAddress, originOf, type WebhookAddress } from "./webhook-address.ts";
import { whyNotReached } from "./webhook-reach.ts";
import { present } from "../../../present.ts";

const FOLDER = generatedPath("run", "webhook");

/** The objects of the rendered deployment that have the API server ask the operator. */
export const askingObjects = (rendered: readonly ManifestObject[]): readonly ManifestObject[] =>
  rendered.filter(
    (object) =>
      (isWebhookConfiguration(object) || isConverted(object)) && askedServices([object]).length > 0,
  );

export class RunWebhooks {
  readonly #session: ClusterSession;
  readonly #context: CliContext;
  readonly #run: AnsweringRun;
  readonly #server: OperatorWebhooks;
  readonly #origin: string;
  readonly #wanted: readonly ManifestObject[];
  readonly #changed: ManifestObject[] = [];
  #redirecting: Promise<void> | undefined;
  #isOver = false;
  #fail: (error: unknown) => void = () => undefined;
  /** Rejects when the API server cannot be redirected. */
  readonly failed: Promise<never>;

  private constructor(
    session: ClusterSession,
    context: CliContext,
    parts: {
      readonly run: AnsweringRun;
      readonly server: OperatorWebhooks;
      readonly origin: string;
      readonly wanted: readonly ManifestObject[];
    },
  ) {
    this.#session = session;
    this.#context = context;
    this.#run = parts.run;
    this.#server = parts.server;
    this.#origin = parts.origin;
    this.#wanted = parts.wanted;
    this.failed = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
  }

  /**
   * Prepares the operator's arguments; nothing is changed in the cluster yet.
   *
   * @param objects - those that ask the operator
   * @throws TsopError `no-rights`, `webhooks-not-reached`
   */
  static async prepare(
    { session, project, context, signal }: RunParts,
    objects: readonly ManifestObject[],
    address: WebhookAddress,
  ): Promise<RunWebhooks> {
    await checkMayAnswer(session, objects);
    const { host, port } = address;
    const server = new OperatorWebhooks({
      folder: join(project.root, FOLDER),
      clock: context.clock,
      hosts: [host],
      listensOn: listeningAddress(host),
      ...present({ port }),
    });
    const certificate = await server.prepare(objects);
    if (!certificate) throw new Error("nothing calls the operator");
    const origin = originOf(host, server.port);
    const owner = ownerName(project);
    const run = { owner, id: randomUUID(), by: `${hostname()} (process ${process.pid})` };
    const reason = await whyNotReached(
      {
        session,
        certificate,
        origin,
        endpoint: { host: listeningAddress(host), port: server.port },
        run,
      },
      context.clock,
      signal,
    );
    if (reason !== undefined) throw notReached(session.server, origin, reason);
    const wanted = askingAddress(objects, origin, certificate);
    return new RunWebhooks(session, context, { run, server, origin, wanted });
  }

  get env(): Readonly<Record<string, string>> {
    return this.#server.env;
  }

  get args(): readonly string[] {
    return this.#server.args;
  }

  /** Takes the lines of the operator's log: once it serves its webhooks, the API server is redirected. */
  readonly hear = (line: string): void => {
    if (this.#redirecting || this.#isOver || !tellsWebhooksServed(line)) return;
    this.#redirecting = this.#redirect();
    this.#redirecting.catch(this.#fail);
  };

  /** Puts the webhooks back as before; a second call waits for the same end. */
  async putBack(): Promise<void> {
    this.#isOver = true;
    await this.#redirecting?.catch(() => undefined);
    for (const object of this.#changed.splice(0).reverse()) {
      const name = await this.#session.describe(object).catch(() => object.metadata.name);
      try {
        await putBackFromRun(this.#session, object, this.#run);
      } catch (error) {
        const { red, dim } = paint(this.#context);
        this.#context.err(`${red("not put back")} ${name}: ${messageOf(error)}`);
        this.#context.err(
          dim(
            "  it still asks this machine; `tsop run` and Ctrl-C, `tsop install` or `tsop deploy` put it back",
          ),
        );
      }
    }
  }

  async #redirect(): Promise<void> {
    const { bold, dim, yellow } = paint(this.#context);
    const answered: string[] = [];
    for (const object of this.#wanted) {
      if (this.#isOver) return;
      const name = await this.#session.describe(object);
      if (isConverted(object) && !(await this.#session.find(object))) {
        const note = `${name} is not installed, so the API server does not call its conversion webhook: \`tsop install\`, then \`tsop run\` again`;
        this.#context.err(`${yellow("note")} ${note}`);
        continue;
      }
      this.#changed.push(object);
      const other = await redirectToRun(this.#session, object, this.#run);
      if (other !== undefined) {
        this.#context.err(
          `${yellow("note")} ${name} was served by \`tsop run\` on ${other}, which was killed or is still running; it is served here now`,
        );
      }
      answered.push(object.metadata.name);
    }
    if (answered.length === 0) return;
    this.#context.out(`${bold("webhooks")} ${this.#origin} answers ${answered.join(", ")}`);
    this.#context.err(
      dim("  the configurations are restored at the end; after a kill -9, by the next `tsop run`"),
    );
  }
}

/** The context in which webhooks are served. */
export interface RunParts {
  readonly session: ClusterSession;
  readonly project: Project;
  readonly context: CliContext;
  /** Ends the attempts to find out whether the API server reaches this machine. */
  readonly signal: AbortSignal;
}

/** @throws TsopError `no-rights` */
async function checkMayAnswer(
  session: ClusterSession,
  objects: readonly ManifestObject[],
): Promise<void> {
  const configurations = objects.filter(isWebhookConfiguration);
  const instead = "run without webhooks with --no-webhooks";
  await checkRights(session, configurations, ["get", "create", "patch", "delete"], instead);
  await checkRights(session, objects.filter(isConverted), ["get", "patch"], instead);
}

function notReached(server: string, origin: string, reason: string): TsopError {
  return new TsopError(
    "webhooks-not-reached",
    `The API server at ${server} cannot call the webhooks of an operator on this machine because it cannot reach ${origin}: ${reason}`,
    "Name an address of this machine that it reaches with --webhook-address HOST[:PORT]; an API server in a container (kind, minikube) does not reach 127.0.0.1. Or run without webhooks: --no-webhooks.",
  );
}
