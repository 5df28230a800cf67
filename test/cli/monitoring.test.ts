import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import { VirtualClock } from "../../src/clock.ts";
import { silentLogger } from "../../src/log.ts";
import {
  createManager,
  CustomResource,
  Resource,
  ValidatingWebhook,
  type Validator,
} from "../../src/index.ts";
import { MemoryApi } from "../runtime/support/memory-api.ts";
import { certificateIn } from "../runtime/webhook/support.ts";
import { runCli } from "./support/run-cli.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource {}

@ValidatingWebhook(Widget)
class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {}
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** What is asked of Prometheus, and the labels that a text made of the answer names. */
interface Query {
  readonly where: string;
  readonly expr: string;
  readonly shown: readonly string[];
}

const INIT = ["init", "--domain", "example.com", "--project-name", "shop", "--no-install"];
/** The labels that Prometheus gives every metric of a target. */
const OF_THE_TARGET = ["job", "namespace", "pod"];
const PAGE = readFileSync(new URL("../../docs/monitoring.md", import.meta.url), "utf8");
const isOwn = (name: string): boolean => !/^(process|nodejs)_/.test(name);

let alerts: readonly Alert[];
let panels: readonly Panel[];
let queries: readonly Query[];
/** The labels of the metrics that a running operator has, and whether one is a histogram. */
const metrics = new Map<string, { labels: readonly string[]; isHistogram: boolean }>();

async function readMetrics(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-monitoring-"));
  const clock = new VirtualClock({ startMs: Date.now() });
  const manager = createManager({
    clock,
    transport: new MemoryApi(clock),
    log: silentLogger,
    metrics: { port: 0, host: "127.0.0.1" },
    webhooks: { port: 0, host: "127.0.0.1", certificate: certificateIn(folder, clock.now()) },
  });
  manager.webhooks.add(new WidgetValidator());
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  while (manager.ports.metrics === undefined || manager.ports.webhooks === undefined) {
    await clock.advance(10);
  }
  const answer = await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`);
  for (const [, name = "", type] of (await answer.text()).matchAll(/^# TYPE (\S+) (\S+)/gm)) {
    const metric: unknown = manager.metrics.registry.getSingleMetric(name);
    const { labelNames } = metric as { labelNames: string[] };
    metrics.set(name, { labels: labelNames, isHistogram: type === "histogram" });
  }
  stop.abort();
  await clock.advance(60_000);
  await running;
  rmSync(folder, { recursive: true });
}

async function readParts(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "tsop-monitoring-"));
  for (const argv of [INIT, ["edit", "--enable", "prometheus,dashboards"]]) {
    const { code } = await runCli(root, argv);
    expect([argv, code]).toEqual([argv, 0]);
  }
  // The operator's role comes from its code, and is not needed here.
  const list = join(root, "config/default/kustomization.yaml");
  writeFileSync(list, readFileSync(list, "utf8").replace("  - ../rbac\n", ""));
  const objects = await renderKustomization(join(root, "config/default"));
  rmSync(root, { recursive: true });
  const named = (kind: string, name: string): object => {
    const found = objects.find((one) => one.kind === kind && one.metadata.name.endsWith(name));
    if (!found) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const rules = named("PrometheusRule", "-rules") as { spec: { groups: { rules: Alert[] }[] } };
  alerts = rules.spec.groups.flatMap((group) => group.rules);
  const { data } = named("ConfigMap", "-dashboard") as { data: Record<string, string> };
  const [file, text = ""] = Object.entries(data)[0] ?? [];
  expect(file).toBe("shop.json");
  const board = JSON.parse(text) as { title: string; panels: Panel[] };
  expect(board.title).toBe("shop");
  panels = board.panels;
  queries = [
    ...alerts.map(({ alert, expr, annotations }) => ({
      where: alert,
      expr,
      shown: [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, at = ""]) => at),
    })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        where: title,
        expr,
        shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label),
      })),
    ),
  ];
  const service = named("Service", "-metrics-service") as { metadata: { name: string } };
  const jobs = queries.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]*)"/g)]);
  expect(new Set(jobs.map(([, job]) => job))).toEqual(new Set([service.metadata.name]));
}

beforeAll(async () => {
  await readMetrics();
  await readParts();
}, 60_000);

/** The metrics of an expression, with the labels that it asks for. */
function metricsIn(expr: string): [name: string, labels: string[]][] {
  return [...expr.matchAll(/([a-z_][a-z0-9_]*)\{([^}]*)\}/g)].map(
    ([, name = "", matchers = ""]) => [
      name,
      [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = ""]) => label),
    ],
  );
}

describe("the alert rules and the dashboard of a project", () => {
  it("ask for metrics and labels that a running operator has", () => {
    expect(queries.length).toBeGreaterThan(50);
    for (const { where, expr, shown } of queries) {
      const found = metricsIn(expr);
      expect(found, where).not.toHaveLength(0);
      const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by = ""]) =>
        by.split(", "),
      );
      for (const [name, asked] of found) {
        if (name === "up") continue;
        const base = name.replace(/_(bucket|sum|count)$/, "");
        const metric = metrics.get(name) ?? metrics.get(base);
        expect(metric, `${where}: ${name}`).toBeDefined();
        expect(metric?.isHistogram ?? false, `${where}: ${name}`).toBe(name !== base);
        const known = [
          ...(metric?.labels ?? []),
          ...OF_THE_TARGET,
          ...(name === base ? [] : ["le"]),
        ];
        expect(known, `${where}: ${name}`).toEqual(expect.arrayContaining([...asked, ...grouped]));
      }
      if (grouped.length > 0) {
        expect(grouped, `${where} shows what it groups by`).toEqual(
          expect.arrayContaining([...shown]),
        );
      }
    }
  });

  it("show every metric of the runtime, and the page tells of each", () => {
    const asked = queries.map(({ expr }) => expr).join("\n");
    const own = [...metrics.keys()].filter(isOwn);
    expect(own.filter((name) => !asked.includes(name))).toEqual([]);
    expect(own.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
  });

  it("have a page for each alert: what it means, what to look at, what to do", () => {
    const sections = new Map(
      PAGE.split("\n### ")
        .slice(1)
        .map((text) => [text.split("\n")[0] ?? "", text]),
    );
    expect(alerts.map(({ alert }) => alert)).toEqual([...sections.keys()]);
    for (const { alert, labels, annotations } of alerts) {
      for (const part of ["What it means: ", "What to look at: ", "What to do: "]) {
        expect(sections.get(alert)?.split(part), `${alert}: ${part}`).toHaveLength(2);
      }
      expect(annotations["runbook_url"]).toBe(
        `https://unpkg.com/tsop/docs/monitoring.md#${alert.toLowerCase()}`,
      );
      expect(labels["severity"]).toMatch(/^(critical|warning)$/);
      expect(annotations["summary"]).toMatch(/^[A-Z].*\.$/);
    }
  });
});
