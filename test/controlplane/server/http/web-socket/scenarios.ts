/** Requests for watches over WebSocket, in the forms of different clients. */

/** A frame that the client sends; masked unless `bare`. */
export interface ClientFrame {
  readonly opcode: number;
  readonly text?: string;
  /** The bits above the opcode of the first byte; defaults to FIN. */
  readonly flags?: number;
  /** The code of a close frame. */
  readonly code?: number;
  readonly bare?: true;
}

export interface Scenario {
  readonly about: string;
  readonly method?: string;
  /** With the query. Defaults to a watch of one new ConfigMap. */
  readonly target?: string;
  /** Replaces headers of the usual handshake; `undefined` leaves a header out. `TOKEN` is a token, base64url. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** Whether the client has a certificate. Defaults to true. */
  readonly certificate?: false;
  /** Sent after the messages. Defaults to a close frame. */
  readonly frames?: readonly ClientFrame[];
  /** How many messages come before the frames are sent. Defaults to 2: the object, and the bookmark after it. */
  readonly messages?: number;
}

export const NAME = "websocket-answers";
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SELECTED = `fieldSelector=metadata.name%3D${NAME}`;
const SHORT = `${CONFIG_MAPS}?watch=true&${SELECTED}&timeoutSeconds=1`;
export const WATCH = `${CONFIG_MAPS}?watch=true&${SELECTED}&allowWatchBookmarks=true&timeoutSeconds=600`;

const TEXT = 1;
const BINARY = 2;
const PING = 9;
const PONG = 10;
export const CLOSE: ClientFrame = { opcode: 8, code: 1000 };

const HANDSHAKES: readonly Scenario[] = [
  { about: "as fabric8 and browsers ask" },
  { about: "no Origin", headers: { Origin: undefined } },
  { about: "an empty Origin", headers: { Origin: "" } },
  { about: "the Origin null", headers: { Origin: "null" } },
  { about: "an Origin of another host", headers: { Origin: "https://evil.example.com" } },
  { about: "an Origin that is not a URL", headers: { Origin: "https://%zz" } },
  { about: "tokens in other cases", headers: { Upgrade: "WebSocket", Connection: "upgrade" } },
  { about: "several connection tokens", headers: { Connection: "keep-alive, Upgrade" } },
  { about: "no Connection", target: SHORT, headers: { Connection: undefined } },
  { about: "Connection keep-alive", target: SHORT, headers: { Connection: "keep-alive" } },
  { about: "another upgrade", target: SHORT, headers: { Upgrade: "h2c" } },
  { about: "several upgrades", target: SHORT, headers: { Upgrade: "h2c, websocket" } },
  { about: "no key", headers: { "Sec-WebSocket-Key": undefined } },
  { about: "a key that is not base64", headers: { "Sec-WebSocket-Key": "short" } },
  { about: "no version", headers: { "Sec-WebSocket-Version": undefined } },
  { about: "version 8", headers: { "Sec-WebSocket-Version": "8" } },
  {
    about: "an extension",
    headers: { "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits" },
  },
];

const protocols = (about: string, value: string, more: Partial<Scenario> = {}): Scenario => ({
  about,
  headers: { "Sec-WebSocket-Protocol": value },
  ...more,
});
const ANONYMOUS = { certificate: false } as const;

const PROTOCOLS: readonly Scenario[] = [
  protocols("protocol binary", "binary.k8s.io"),
  protocols("protocol base64", "base64.binary.k8s.io"),
  protocols("an unknown protocol", "chat"),
  protocols("an empty protocol", ""),
  protocols("two protocols", "base64.binary.k8s.io, binary.k8s.io"),
  protocols(
    "a token and a protocol",
    "base64url.bearer.authorization.k8s.io.TOKEN, base64.binary.k8s.io",
    ANONYMOUS,
  ),
  protocols(
    "a token after the protocol",
    "base64.binary.k8s.io, base64url.bearer.authorization.k8s.io.TOKEN",
    ANONYMOUS,
  ),
  protocols(
    "a token and two protocols",
    "a, base64url.bearer.authorization.k8s.io.TOKEN, b",
    ANONYMOUS,
  ),
  protocols("only a token", "base64url.bearer.authorization.k8s.io.TOKEN", ANONYMOUS),
  protocols(
    "two tokens",
    "base64url.bearer.authorization.k8s.io.TOKEN, base64url.bearer.authorization.k8s.io.TOKEN, a",
    ANONYMOUS,
  ),
  protocols("a wrong token", "base64url.bearer.authorization.k8s.io.d3Jvbmc, a", ANONYMOUS),
  protocols("an empty token", "base64url.bearer.authorization.k8s.io., a", ANONYMOUS),
  protocols(
    "a token that is not base64url",
    "base64url.bearer.authorization.k8s.io.***, a",
    ANONYMOUS,
  ),
  protocols("a padded token", "base64url.bearer.authorization.k8s.io.dw==, a", ANONYMOUS),
  protocols("a token beside a certificate", "base64url.bearer.authorization.k8s.io.TOKEN, a"),
  protocols("a token with a list", "base64url.bearer.authorization.k8s.io.TOKEN, a", {
    ...ANONYMOUS,
    target: `${CONFIG_MAPS}?${SELECTED}`,
  }),
  {
    about: "a token in a request that is no upgrade",
    ...ANONYMOUS,
    target: `${CONFIG_MAPS}?${SELECTED}`,
    headers: {
      Upgrade: undefined,
      "Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io.TOKEN, a",
    },
  },
  {
    about: "a token in both headers",
    ...ANONYMOUS,
    headers: {
      Authorization: "Bearer wrong",
      "Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io.TOKEN, a",
    },
  },
  {
    about: "a token in the usual header",
    ...ANONYMOUS,
    headers: { Authorization: "Bearer PLAIN" },
  },
  { about: "no credentials", ...ANONYMOUS },
];

const accepts = (about: string, accept: string, more: Partial<Scenario> = {}): Scenario => ({
  about,
  headers: { Accept: accept },
  ...more,
});
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

const STREAMS: readonly Scenario[] = [
  accepts("a table", TABLE),
  accepts("only metadata", PARTIAL),
  accepts("JSON", "application/json"),
  accepts("YAML", "application/yaml"),
  accepts("anything", "*/*"),
  accepts("a media type that is not served", "text/html"),
  { about: "watch=1", target: `${CONFIG_MAPS}?watch=1&${SELECTED}`, messages: 1 },
  { about: "all namespaces", target: `/api/v1/configmaps?watch=1&${SELECTED}`, messages: 1 },
  {
    about: "the old prefix",
    target: `/api/v1/watch/namespaces/default/configmaps/${NAME}`,
    messages: 1,
  },
  {
    about: "the initial events, then a bookmark",
    target: `${WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
  },
  { about: "a time limit", target: SHORT },
  {
    about: "a large object",
    target: `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3D${NAME}-large`,
    messages: 1,
  },
];

const REFUSED: readonly Scenario[] = [
  { about: "a wrong selector", target: `${CONFIG_MAPS}?watch=1&labelSelector=a%20b%20c` },
  { about: "a wrong version", target: `${CONFIG_MAPS}?watch=1&resourceVersion=x` },
  { about: "no such resource", target: "/api/v1/namespaces/default/nothings?watch=1" },
  {
    about: "a resource that cannot be watched",
    target: "/api/v1/namespaces/default/bindings?watch=1",
  },
];

const PLAIN: readonly Scenario[] = [
  { about: "a list", target: `${CONFIG_MAPS}?${SELECTED}` },
  { about: "watch=false", target: `${CONFIG_MAPS}?watch=false&${SELECTED}` },
  { about: "one object", target: `${CONFIG_MAPS}/${NAME}` },
  { about: "one object, with watch", target: `${CONFIG_MAPS}/${NAME}?watch=1` },
  { about: "health", target: "/livez" },
  { about: "a path that is not served", target: "/nothing" },
  {
    about: "a create with a body",
    method: "POST",
    target: CONFIG_MAPS,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ metadata: { name: "Not.A_Name" } }),
  },
  {
    about: "a create with a body, and another upgrade",
    method: "POST",
    target: CONFIG_MAPS,
    headers: { "Content-Type": "application/json", Upgrade: "h2c" },
    body: JSON.stringify({ metadata: { name: "Not.A_Name" } }),
  },
  {
    about: "a watch with POST",
    method: "POST",
    target: WATCH,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ metadata: { name: "Not.A_Name" } }),
  },
  {
    about: "exec in a pod that does not exist",
    target: "/api/v1/namespaces/default/pods/nope/exec?command=ls&stdout=true",
    headers: { "Sec-WebSocket-Protocol": "v5.channel.k8s.io" },
  },
  {
    about: "exec in a pod that does not exist, by SPDY",
    method: "POST",
    target: "/api/v1/namespaces/default/pods/nope/exec?command=ls&stdout=true",
    headers: { Upgrade: "SPDY/3.1", "X-Stream-Protocol-Version": "v4.channel.k8s.io" },
  },
];

const frames = (about: string, ...sent: readonly ClientFrame[]): Scenario => ({
  about,
  frames: sent,
});

const FRAMES: readonly Scenario[] = [
  frames("a ping", { opcode: PING, text: "are you there" }, CLOSE),
  frames("an empty ping", { opcode: PING }, CLOSE),
  frames("a pong", { opcode: PONG, text: "here" }, CLOSE),
  frames(
    "messages",
    { opcode: TEXT, text: "hello" },
    { opcode: BINARY, text: "x".repeat(70_000) },
    CLOSE,
  ),
  frames(
    "a message in parts with a ping between them",
    { opcode: TEXT, text: "one", flags: 0 },
    { opcode: PING, text: "ping" },
    { opcode: 0, text: "two" },
    CLOSE,
  ),
  frames("a close without a code", { opcode: 8 }),
  frames("a close with another code", { opcode: 8, code: 1001, text: "going" }),
  frames("two closes", CLOSE, CLOSE),
  frames("a frame that is not masked", { opcode: TEXT, text: "hello", bare: true }),
  frames("an unknown opcode", { opcode: 5, text: "hello" }, CLOSE),
  frames("an extension bit", { opcode: TEXT, text: "hello", flags: 0xc0 }, CLOSE),
  frames("a long ping", { opcode: PING, text: "x".repeat(200) }, CLOSE),
];

export const SCENARIOS: readonly Scenario[] = [
  ...HANDSHAKES,
  ...PROTOCOLS,
  ...STREAMS,
  ...REFUSED,
  ...PLAIN,
  ...FRAMES,
];
