/**
 * Objects of strangers, on their way from a list and a watch through a cache to a reconciler, and back by a write.
 */
import { VirtualClock } from "../../src/clock.ts";
import { TsopError } from "../../src/errors.ts";
import { silentLogger } from "../../src/log.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { mutableCopy } from "../../src/runtime/cache/freeze.ts";
import { restListerWatcher } from "../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../src/runtime/cache/shared-informer.ts";
import { LiveClient } from "../../src/runtime/client/live-client.ts";
import { RestClient } from "../../src/runtime/rest/rest-client.ts";
import { ScriptedTransport, type Reply } from "../../src/runtime/transport/scripted-transport.ts";
import type { Transport } from "../../src/runtime/transport/transport.ts";
import { WIDGETS } from "../runtime/support/widgets.ts";
import type { Random } from "../support/random.ts";
import type { FuzzKind } from "./campaign.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The texts of one object as a list and a watch bring it, and where the pieces of the answers end. */
interface OddObject {
  readonly listed: string;
  readonly watched: string;
  /** Whether an API server would store it. */
  readonly named: boolean;
  readonly pieceBytes: number;
}

const KEYS = [
  "a",
  "b",
  "",
  "0",
  "01",
  "9007199254740993",
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "toJSON",
  "valueOf",
  "then",
  "length",
  "items",
  "metadata",
  "managedFields",
  "object",
  "\\u0000int64:5",
  "\\ud800",
  "\\u2028",
  '\\"items\\":[',
  "ä日👍",
  "x".repeat(300),
];
const NUMBERS = [
  "0",
  "-0",
  "-0.0",
  "5",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "1000000000000000",
  "9223372036854775807",
  "-9223372036854775808",
  "18446744073709551615",
  "123456789012345678901234567890",
  `1${"0".repeat(99)}`,
  `1${"0".repeat(300)}`,
  "9007199254740993.0",
  "9007199254740993e0",
  "0.1234567890123456789",
  "1e-7",
  "1E20",
  "1e21",
  "5e-324",
  "1e400",
  "-1e400",
];
const TEXTS = [
  ...KEYS,
  "9007199254740993",
  ":9007199254740993,",
  "[9007199254740993]",
  '\\\\\\"9007199254740993',
  '},{\\"metadata\\":{\\"',
  '\\n{\\"type\\":\\"DELETED\\"}\\n',
  "\\u0000",
  "\u2028\u202e\u007f",
  "\\/\\b\\f\\t",
];
const SPACES = ["", "", "", "", " ", "\t", "  ", "\r"];
const UNNAMED = [
  "{}",
  '{"metadata":null}',
  '{"metadata":{"name":5}}',
  '{"metadata":{"name":".."}}',
];
// In an event these are no object, and the watch begins anew.
const NO_OBJECTS = ["null", "5", '"x"', "[]"];
const DEEP = 2000;

/** Objects with all that a text of JSON can say. */
export const objects: FuzzKind<OddObject> = {
  about: "objects of strangers through list, watch, cache and back",
  next(random) {
    const named = random.chance(0.95);
    const pieceBytes = 1 + random.below(4000);
    if (named) {
      const listed = widgetText("odd", "2", fieldsText(random));
      const watched = widgetText("odd", "11", fieldsText(random));
      return { listed, watched, named, pieceBytes };
    }
    const listed = random.pick([...UNNAMED, ...NO_OBJECTS]);
    return { listed, watched: random.pick(UNNAMED), named, pieceBytes };
  },
  show: ({ listed, watched, pieceBytes }) =>
    JSON.stringify({ listed, watched, pieceBytes }, undefined, 1),
  start: () => Promise.resolve({ attempt, stop: () => Promise.resolve() }),
};

function widgetText(name: string, version: string, more = ""): string {
  const metadata = `{"name":"${name}","namespace":"d","uid":"${name}","resourceVersion":"${version}"}`;
  return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":${metadata}${more}}`;
}

function fieldsText(random: Random): string {
  const names = ["spec", "status", "data", "__proto__", "items", "type", "code", "9"];
  const fields = Array.from(
    { length: 1 + random.below(3) },
    () => `,"${random.pick(names)}":${valueText(random, 0)}`,
  );
  return fields.join("");
}

function valueText(random: Random, level: number): string {
  const space = random.pick(SPACES);
  return `${space}${bareValueText(random, level)}${random.pick(SPACES)}`;
}

function bareValueText(random: Random, level: number): string {
  if (level === 0 && random.chance(0.002)) return deepText(random);
  const parts = level > 4 ? 0 : random.below(5);
  switch (random.below(level === 0 ? 2 : 6)) {
    case 0: {
      const fields = Array.from(
        { length: parts },
        () => `"${random.pick(KEYS)}":${valueText(random, level + 1)}`,
      );
      return `{${fields.join(",")}}`;
    }
    case 1:
      return `[${Array.from({ length: parts }, () => valueText(random, level + 1)).join(",")}]`;
    case 2:
      return `"${random.pick(TEXTS)}"`;
    case 3:
      return random.pick(["null", "true", "false"]);
    default:
      return random.pick(NUMBERS);
  }
}

function deepText(random: Random): string {
  const [open, close] = random.pick([
    ['{"a":', "}"],
    ["[", "]"],
    ['{"__proto__":', "}"],
  ] as const);
  return open.repeat(DEEP) + random.pick(NUMBERS) + close.repeat(DEEP);
}

async function attempt({ listed, watched, named, pieceBytes }: OddObject): Promise<string> {
  const items = [widgetText("a", "1"), listed, widgetText("b", "3")].join(",");
  const list = `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"10"},"items":[${items}]}`;
  const events =
    `{"type":"MODIFIED","object":${watched}}\n` +
    `{"type":"ADDED","object":${widgetText("c", "12")}}\n`;
  const clock = new VirtualClock();
  const { transport, written } = echoing(clock, [
    inPieces(list, pieceBytes),
    { ...inPieces(events, pieceBytes), then: "hang" },
  ]);
  const rest = new RestClient(transport, clock);
  const informer = new SharedInformer({
    listerWatcher: restListerWatcher(rest, WIDGETS),
    clock,
    log: silentLogger,
    watchList: false,
  });
  const seen: KubeObject[] = [];
  informer.addHandler({
    onAdd: (object) => void seen.push(object),
    onUpdate: (_, object) => void seen.push(object),
  });
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  await clock.advance(0);
  stop.abort();
  await running;
  const names = seen.map(({ metadata }) => metadata.name).join(" ");
  if (names !== (named ? "a odd b odd c" : "a b c")) {
    throw new Error(`the cache told of: ${names}`, { cause: informer.lastError });
  }
  if (!named) return "left out";
  const client = new LiveClient(rest, { fieldManager: "fuzz" });
  const outcomes: string[] = [];
  const odd = seen.filter(({ metadata }) => metadata.name === "odd");
  for (const [at, text] of [listed, watched].entries()) {
    outcomes.push(await writeBack(client, odd[at]!, text, written));
  }
  return outcomes.join(", ");
}

/** Writes an object that the cache gave; it must be what the server sent, in the request and in the answer. */
async function writeBack(
  client: LiveClient,
  object: KubeObject,
  sent: string,
  written: string[],
): Promise<string> {
  const expected = canonicalJson(sent);
  const infinite = expected.includes("Infinity");
  try {
    const answered = await client.update(WIDGETS, mutableCopy(object));
    await client.update(WIDGETS, answered);
  } catch (error) {
    if (infinite && error instanceof TsopError && error.code === "number-not-finite") {
      return "refused, as a number is not finite";
    }
    throw error;
  }
  const texts = written.splice(0);
  if (texts.length !== 2) throw new Error(`${texts.length} writes`);
  for (const text of texts) {
    if (canonicalJson(text) !== expected) throw new Error(`written: ${text.slice(0, 2000)}`);
  }
  return "written as it was sent";
}

/** A server by script that answers each write with what was written. */
function echoing(clock: VirtualClock, replies: readonly Reply[]) {
  const written: string[] = [];
  const scripted = new ScriptedTransport(clock, replies);
  const transport: Transport = {
    server: scripted.server,
    close: () => undefined,
    request(request) {
      const { body } = request;
      if (body === undefined) return scripted.request(request);
      written.push(body);
      return new ScriptedTransport(clock, [{ body }]).request({ ...request, body: "{}" });
    },
  };
  return { transport, written };
}

function inPieces(text: string, pieceBytes: number): Reply {
  const bytes = Buffer.from(text);
  const stream = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    stream.push({ raw: bytes.subarray(at, at + pieceBytes) });
  }
  return { stream };
}
