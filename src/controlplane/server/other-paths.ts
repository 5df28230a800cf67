/**
 * Paths that are no resource's: health, version, and the documents that describe the API.
 *
 * @module
 */
import type { Cluster } from "./cluster.ts";
import { pageNotFound } from "./render.ts";
import type { Answer, ApiRequest } from "./request.ts";
import { jsonAnswer } from "./render.ts";

/** The version that the control plane says it is. */
const VERSION = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "",
  compiler: "tsop",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

const HEALTH = new Set(["/healthz", "/livez", "/readyz"]);

/** Answers what is no resource. */
export function otherPath(cluster: Cluster, request: ApiRequest): Answer {
  void cluster;
  if (HEALTH.has(request.path)) {
    return {
      status: 200,
      headers: {
        "cache-control": "no-cache, private",
        "content-type": "text/plain; charset=utf-8",
        "x-content-type-options": "nosniff",
      },
      body: request.query.has("verbose")
        ? `[+]ping ok\n${request.path.slice(1)} check passed\n`
        : "ok",
    };
  }
  if (request.path === "/version") return jsonAnswer(200, VERSION);
  return pageNotFound();
}
