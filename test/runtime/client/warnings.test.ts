import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { oncePerText, parseWarnings, type ApiWarning } from "../../../src/runtime/rest/warnings.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { ScriptedTransport } from "../../../src/runtime/transport/scripted-transport.ts";
import { WIDGETS } from "../support/widgets.ts";

const KEY = { namespace: "d", name: "one" };
const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: KEY };
const warned = (...texts: string[]) => ({
  body,
  headers: { Warning: texts.map((text) => `299 - ${JSON.stringify(text)}`).join(", ") },
});

/** The cases of apimachinery's TestParseWarningHeader, with what client-go's handler takes of them. */
const HEADERS: readonly (readonly [header: string, texts: readonly string[]])[] = [
  ["", []],
  ["bad", []],
  ["100", []],
  ["100 -", []],
  ['299 - "message"', ["message"]],
  [`299 - "\\"\\\\\\a\\b\\c"`, ['"\\abc']],
  ['299 - "message" "date"', ["message"]],
  ['299 - "message" "date', []],
  ['299 - "message', []],
  ["299 - message", []],
  ['299 - "message" ,299 - "more"', ["message", "more"]],
  [
    '299 - "a, b \\"c\\"", 299 agent "d" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "e"',
    ['a, b "c"', "d", "e"],
  ],
  ['  299   -   "message"', []],
  ['299 - "first" x, 299 - "second"', []],
  ['199 - "miscellaneous", 299 - "persistent"', ["persistent"]],
  ['299 - ""', []],
  ['299 - "line\nbreak"', []],
  [Buffer.from('299 - "Größe ☃"').toString("latin1"), ["Größe ☃"]],
];

describe("the warnings of the API server", () => {
  it.each(HEADERS)("are read from %j as client-go reads them", (header, texts) => {
    expect(parseWarnings(header).map(({ text }) => text)).toEqual(texts);
  });

  it("are told with their request, from answers, refusals and watches", async () => {
    const clock = new VirtualClock();
    const seen: ApiWarning[] = [];
    const refusal = { kind: "Status", status: "Failure", reason: "Invalid", code: 422 };
    const transport = new ScriptedTransport(clock, [
      warned('unknown field "spec.sice"', "deprecated"),
      { ...warned("refused"), status: 422, body: refusal },
      { ...warned("watched"), body: "" },
    ]);
    const onWarning = (warning: ApiWarning) => seen.push(warning);
    const client = new LiveClient(new RestClient(transport, clock, { onWarning }), {
      fieldManager: "test",
    });
    await client.create(WIDGETS, { metadata: KEY });
    await client.create(WIDGETS, { metadata: KEY }).catch(() => undefined);
    await client.watch(WIDGETS);
    const path = "/apis/example.com/v1/namespaces/d/widgets";
    expect(seen).toEqual([
      { code: 299, agent: "-", text: 'unknown field "spec.sice"', method: "POST", path },
      { code: 299, agent: "-", text: "deprecated", method: "POST", path },
      { code: 299, agent: "-", text: "refused", method: "POST", path },
      {
        code: 299,
        agent: "-",
        text: "watched",
        method: "GET",
        path: "/apis/example.com/v1/widgets",
      },
    ]);
  });

  it("are logged once for each text by a manager, or given to a handler, or ignored", async () => {
    const lines: string[] = [];
    const log: Logger = {
      ...silentLogger,
      warn: (first: object | string, second?: string) => {
        lines.push(second ?? (first as string));
      },
      child: () => log,
    };
    const seen: string[] = [];
    for (const warnings of [
      undefined,
      "ignore",
      ({ text }: ApiWarning) => seen.push(text),
    ] as const) {
      const clock = new VirtualClock();
      const transport = new ScriptedTransport(clock, [warned("old"), warned("old"), warned("new")]);
      const { client } = createManager({
        clock,
        transport,
        log,
        ...(warnings === undefined ? {} : { warnings }),
      });
      for (let count = 0; count < 3; count++) await client.create(WIDGETS, { metadata: KEY });
    }
    expect(lines).toEqual(["the API server warns: old", "the API server warns: new"]);
    expect(seen).toEqual(["old", "old", "new"]);
  });

  it("are remembered in memory that does not grow", () => {
    let told = 0;
    const tell = oncePerText(() => told++);
    const warning = { code: 299, agent: "-", method: "GET", path: "/" };
    for (let index = 0; index < 3000; index++) tell({ ...warning, text: `text ${index}` });
    tell({ ...warning, text: "text 2999" });
    expect(told).toBe(3000);
  });
});
