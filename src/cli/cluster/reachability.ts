/** Reports that an API server cannot be reached, as long as that is so. */
import { messageOf } from "../../errors.ts";
import type { ClusterConfig } from "../../runtime/transport/cluster-config.ts";
import { fixedCredentials } from "../../runtime/transport/credentials/credentials.ts";
import { HttpsTransport } from "../../runtime/transport/https-transport.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";

/**
 * The wait before the first report: most servers are there at once, and the operator's own log says
 * when one is not.
 */
const FIRST_MS = 5000;
const AGAIN_MS = 30_000;

/**
 * Asks the server until it answers anything, or `signal` is aborted; reports each time that it does
 * not, and for how long.
 */
export async function tellUntilReached(
  config: ClusterConfig,
  context: CliContext,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = context;
  const began = clock.monotonicMs();
  // Whether it answers is the question, not what it lets whom do.
  const credentials = fixedCredentials({});
  const transport = new HttpsTransport(
    { ...config, credentials, answerTimeoutMs: FIRST_MS },
    "tsop",
  );
  try {
    for (let waitMs = FIRST_MS; ; waitMs = AGAIN_MS) {
      await clock.sleep(waitMs, signal);
      const problem = await problemOf(transport, signal);
      if (problem === undefined) return;
      const seconds = Math.round((clock.monotonicMs() - began) / 1000);
      context.out(paint(context).dim(`waiting    for ${seconds} s: ${problem}`));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    transport.close();
  }
}

async function problemOf(
  transport: HttpsTransport,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await transport.request({ method: "GET", path: "/livez", signal });
    response.cancel();
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return messageOf(error);
  }
}
