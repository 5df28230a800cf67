/** The mistakes of a kubeconfig, reported together. */
import { TsopError } from "../../errors.ts";

/** Collects mistakes, each as a sentence without its full stop. */
export class KubeconfigMistakes {
  readonly #mistakes: string[] = [];

  add(mistake: string): void {
    this.#mistakes.push(mistake);
  }

  /** @throws TsopError `kubeconfig-invalid` when there is one */
  throwAll(): void {
    const [first, ...rest] = this.#mistakes;
    if (first === undefined) return;
    throw new TsopError(
      "kubeconfig-invalid",
      rest.length === 0
        ? `The kubeconfig cannot be used: ${first}.`
        : `The kubeconfig cannot be used:\n${this.#mistakes.map((one) => `  ${one}.`).join("\n")}`,
      "Correct it there; https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ lists all fields.",
    );
  }
}
