/** Listens to the server of the page, and reconnects when the connection ends. */
import type { PageMessage } from "../cli/page/protocol.ts";
import type { Connection } from "./state.ts";

/** Receives messages and the state of the connection. */
export interface StreamListener {
  tell(message: PageMessage): void;
  connect(connection: Connection): void;
}

const TOKEN_KEY = "tsop-page-token";
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Follows the session until the page is closed, or its token is refused. */
export async function follow(listener: StreamListener): Promise<void> {
  const token = await sessionToken();
  let waitMs = FIRST_WAIT_MS;
  while (token !== undefined) {
    try {
      const response = await fetch("/stream", { headers: { Authorization: `Bearer ${token}` } });
      if (response.status === 401) break;
      if (response.ok && response.body) {
        listener.connect("live");
        waitMs = FIRST_WAIT_MS;
        for await (const line of linesOf(response.body))
          listener.tell(JSON.parse(line) as PageMessage);
      }
    } catch {
      // The server is unreachable: the state below shows it.
    }
    listener.connect("lost");
    await wait(waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
  sessionStorage.removeItem(TOKEN_KEY);
  listener.connect("refused");
}

/** The token behind the `#` of the address; it is removed from the address, so that screenshots do not show it. */
async function sessionToken(): Promise<string | undefined> {
  const secret = location.hash.slice(1);
  if (secret === "") return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  history.replaceState(null, "", location.pathname);
  const headers = { Authorization: `Bearer ${secret}` };
  const response = await fetch("/session", { method: "POST", headers }).catch(() => undefined);
  if (!response?.ok) return undefined;
  const { token } = (await response.json()) as { token: string };
  sessionStorage.setItem(TOKEN_KEY, token);
  return token;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = value.split("\n");
    for (const [index, line] of lines.entries()) {
      rest.push(line);
      if (index === lines.length - 1) continue;
      const whole = rest.join("");
      rest = [];
      // An empty line is a heartbeat.
      if (whole !== "") yield whole;
    }
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    // oxlint-disable-next-line no-restricted-globals -- a browser has no Clock; tests do not wait for this
    setTimeout(resolve, ms);
  });
}
