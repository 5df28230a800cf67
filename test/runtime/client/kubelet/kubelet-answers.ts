/** Recorded answers of a real kubelet, behind a real API server. */
import { readFileSync } from "node:fs";

/** What was asked. */
export interface KubeletRequest {
  readonly about: string;
  readonly subresource: "exec" | "attach" | "portforward";
  readonly pod: string;
  readonly container?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly ports?: number;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  /** The protocols of the WebSocket, the first one preferred. */
  readonly protocols: readonly string[];
  /** Messages of the client, in hexadecimal. */
  readonly send?: readonly string[];
}

/** What was answered. */
export interface KubeletAnswer extends KubeletRequest {
  readonly status: number;
  /** The protocol that the server chose. */
  readonly protocol?: string;
  /** The body of a refusal. */
  readonly body?: string;
  /** The messages of the server, in hexadecimal. */
  readonly messages: readonly string[];
  /** The code of the server's close frame; absent where it sent none. */
  readonly close?: number;
  /** The exit code of `kubectl exec` for the same command; absent where it cannot ask for it. */
  readonly kubectl?: number;
}

/** The answers that `npm run make -- kubelet-answers` recorded. */
export function kubeletAnswers(): readonly KubeletAnswer[] {
  const file = new URL("answers.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { answers: KubeletAnswer[] }).answers;
}
