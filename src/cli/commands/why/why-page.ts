/** `tsop why --page`: the page of `tsop dev`, of an operator elsewhere. */
import { join } from "node:path";
import { untilAborted } from "../../../clock.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ClusterConfig } from "../../../runtime/transport/cluster-config.ts";
import { openTransport } from "../../../runtime/transport/open-transport.ts";
import { findCluster } from "../../cluster/cluster-session.ts";
import type { CliContext } from "../../context.ts";
import { noOperatorToAsk, operatorPlace } from "../../journal/asked-operator.ts";
import { findJournals } from "../../journal/cluster-journal.ts";
import { placeOfDev, type JournalPlace } from "../../journal/journal-place.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint, reportError } from "../../output.ts";
import { openInBrowser } from "../../page/browser.ts";
import type { FindOperator } from "../../page/operator-follower.ts";
import { PageModel, type PageSource } from "../../page/page-model.ts";
import { scopeOf } from "../../page/page-scope.ts";
import { PageServer } from "../../page/page-server.ts";
import { runningKubeconfig } from "../../project/own-kubeconfig.ts";
import { findProject, getProject, type Project } from "../../project/project-file.ts";
import { ADMIN_KUBECONFIG } from "../../../project-folder.ts";
import { listenToKeys } from "../../terminal-keys.ts";
import type { Options } from "../../command.ts";
import type { why } from "./flags.ts";

type WhyOptions = Options<typeof why>;

/** Serves the page until it is interrupted; returns 0. */
export async function whyPage(
  target: string | undefined,
  options: WhyOptions,
  context: CliContext,
): Promise<number> {
  const { clock } = context;
  const quit = new AbortController();
  const signal = AbortSignal.any([context.untilInterrupted(), quit.signal]);
  const project =
    options.operator === undefined ? await getProject(context.cwd) : await findProject(context.cwd);
  const rendered = project ? await renderKustomization(join(project.root, "config/default")) : [];
  const model = new PageModel(sourceOf(target, { project, rendered }, options, context));
  if (project) model.setScope(scopeOf(project, rendered));
  const server = new PageServer({ model, clock });
  let stopKeys: (() => void) | undefined;
  try {
    await server.start();
    context.out(`${paint(context).bold("page")}  ${server.url}`);
    stopKeys = (context.keys ?? listenToKeys)((key) => {
      if (key === "q") quit.abort();
      if (key !== "o") return;
      openInBrowser(server.ticketUrl(), context).catch((error: unknown) => {
        reportError(error, context);
      });
    });
    const { bold, dim } = paint(context);
    const keys = `${bold("o")} ${dim("open the page, ")}${bold("q")} ${dim("quit")}`;
    context.err(stopKeys ? `  ${keys}` : dim("  Ctrl-C to stop"));
    await untilAborted(signal);
    return 0;
  } finally {
    stopKeys?.();
    await server.stop();
    await model.stop();
  }
}

/** A project and its manifests, where there is one. */
interface KnownProject {
  readonly project: Project | undefined;
  readonly rendered: readonly ManifestObject[];
}

/** @throws TsopError `no-operator-to-ask`; UsageError `bad-operator-address`; as `findCluster` */
function sourceOf(
  target: string | undefined,
  { project, rendered }: KnownProject,
  options: WhyOptions,
  context: CliContext,
): PageSource {
  const { clock } = context;
  const { operator, kubeconfig } = options;
  const namesCluster = kubeconfig !== undefined || options.context !== undefined;
  const title = {
    name: project?.projectName ?? operator ?? "",
    ...(project && { root: project.root }),
    ...(target !== undefined && { search: target.replace("/", " ") }),
  };
  const way = (config: ClusterConfig): Pick<PageSource, "openTransport"> => {
    return { openTransport: () => openTransport(config, "tsop", clock) };
  };
  if (operator !== undefined) {
    const place = operatorPlace(operator, context);
    const cluster = namesCluster ? way(findCluster(options, context)) : {};
    return { title: { ...title, place: operator }, findOperator: always(place), clock, ...cluster };
  }
  if (namesCluster || !project) {
    const config = findCluster(options, context);
    const client = createClient(config, { name: "tsop", clock });
    const findOperator: FindOperator = () => findJournals(client, rendered);
    const place = options.context ?? config.server;
    return { title: { ...title, place }, findOperator, clock, ...way(config) };
  }
  const kubeconfigText = runningKubeconfig(join(project.root, ADMIN_KUBECONFIG));
  if (kubeconfigText === undefined || !placeOfDev(project.root)) throw noOperatorToAsk();
  const config = findCluster({ kubeconfigText }, context);
  const findOperator: FindOperator = async () => {
    const place = placeOfDev(project.root);
    return place && always(place)();
  };
  return { title: { ...title, place: "tsop dev" }, findOperator, clock, ...way(config) };
}

const always = (place: JournalPlace) => () => Promise.resolve({ places: [place] });
