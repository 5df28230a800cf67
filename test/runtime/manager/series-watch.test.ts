import { Counter, Histogram } from "prom-client";
import { expect, it } from "vitest";
import { createManager, type Logger } from "../../../src/index.ts";
import { silentLogger } from "../../../src/testing.ts";
import { ScriptedTransport } from "../../../src/runtime/transport/scripted-transport.ts";
import { systemClock } from "../../../src/clock.ts";

it("a metric whose label has ever more values is told once, with the label", async () => {
  const lines: object[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (fields: object | string) => {
      if (typeof fields === "object" && "metric" in fields) lines.push(fields);
    },
  };
  const transport = new ScriptedTransport(systemClock, []);
  const manager = createManager({ transport, log, metrics: { port: 0, host: "127.0.0.1" } });
  const registers = [manager.metrics.registry];
  const labelNames = ["kind", "name"];
  const seen = new Counter({ name: "seen_total", help: "Seen", labelNames, registers });
  const took = new Histogram({ name: "took_seconds", help: "Took", labelNames, registers });
  const few = new Histogram({ name: "few_seconds", help: "Few", labelNames: ["kind"], registers });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  while (manager.ports.metrics === undefined) await systemClock.sleep(5);
  const scrape = async () => {
    await (await fetch(`http://127.0.0.1:${manager.ports.metrics ?? 0}/metrics`)).text();
  };
  for (let index = 0; index < 1000; index++) {
    seen.inc({ kind: index % 2 ? "Pod" : "Web", name: `o "${index}"` });
    few.observe({ kind: `k${index % 100}` }, 1);
  }
  await scrape();
  expect(lines).toEqual([]);
  seen.inc({ kind: "Pod", name: "one more" });
  for (let index = 0; index <= 1000; index++) took.observe({ kind: "Pod", name: `o${index}` }, 1);
  await scrape();
  await scrape();
  expect(lines).toEqual([
    { metric: "seen_total", label: "name", series: 1001 },
    { metric: "took_seconds", label: "name", series: 1001 },
  ]);
  stop.abort();
  await running;
});
