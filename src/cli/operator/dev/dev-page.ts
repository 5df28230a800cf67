import type { ControlPlane } from "../../../controlplane/control-plane.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { loadClusterConfig } from "../../../runtime/kubeconfig/load-config.ts";
import { openTransport } from "../../../runtime/transport/open-transport.ts";
import type { CliContext } from "../../context.ts";
import { placeOfDev } from "../../journal/journal-place.ts";
import { paint } from "../../output.ts";
import { openInBrowser } from "../../page/browser.ts";
import { PageModel } from "../../page/page-model.ts";
import { scopeOf } from "../../page/page-scope.ts";
import { PageServer } from "../../page/page-server.ts";
import type { Project } from "../../project/project-file.ts";

/** Serves the page of one session; nothing is watched before somebody looks at it. */
export class DevPage {
  readonly #project: Project;
  readonly #context: CliContext;
  readonly #model: PageModel;
  readonly #server: PageServer;

  constructor(
    project: Project,
    controlPlane: Pick<ControlPlane, "kubeconfig">,
    context: CliContext,
  ) {
    const { clock } = context;
    this.#project = project;
    this.#context = context;
    this.#model = new PageModel({
      title: { name: project.projectName, place: "tsop dev", root: project.root },
      openTransport: () => {
        const kubeconfigText = controlPlane.kubeconfig;
        return openTransport(loadClusterConfig({ clock, kubeconfigText }), "tsop", clock);
      },
      findOperator: async () => {
        const place = placeOfDev(project.root);
        return place && { places: [place] };
      },
      clock,
    });
    this.#server = new PageServer({ model: this.#model, clock });
  }

  /** Serves the page, and prints its address. */
  async start(): Promise<void> {
    await this.#server.start();
    this.#context.out(`${paint(this.#context).bold("page")}           ${this.#server.url}`);
  }

  /** Shows the manifests as they are from now on. */
  show(rendered: readonly ManifestObject[]): void {
    this.#model.setScope(scopeOf(this.#project, rendered));
  }

  /** Shows the mistakes in the code that was saved last, in the terminal's lines; none when it runs. */
  tellMistakes(lines: readonly string[]): void {
    this.#model.setMistakes(lines);
  }

  /** Opens the page in a browser. @throws TsopError `program-not-found`, `program-failed` */
  async open(): Promise<void> {
    this.#context.out(`the page is at ${this.#server.url}`);
    await openInBrowser(this.#server.ticketUrl(), this.#context);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#model.stop();
  }
}
