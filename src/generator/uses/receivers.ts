/** Where a client comes from: of the manager, of another cluster, or one that reads from the server in any case. */
import { ts } from "../load.ts";
import { plain } from "./paths.ts";
import { memberName, type Types } from "./types.ts";
import type { Values } from "./values.ts";

type Place = "cache" | "live" | "elsewhere";

interface ReceiverPorts {
  readonly types: Types;
  readonly values: Values;
}

/** Finds out the receivers of methods. */
export class Receivers {
  readonly #types: Types;
  readonly #values: Values;

  constructor({ types, values }: ReceiverPorts) {
    this.#types = types;
    this.#values = values;
  }

  /** Whether a client is surely that of another cluster, whose rights are granted there. */
  isElsewhere(on: ts.Expression | undefined): boolean {
    const places = on ? this.#placesOf(on) : [];
    return places.length > 0 && places.every((place) => place === "elsewhere");
  }

  /** Whether a client may read from the server although the kind is watched. */
  isLive(on: ts.Expression | undefined): boolean {
    return on !== undefined && this.#placesOf(on).includes("live");
  }

  /** The subresources of `client.subresource(name)`: `/scale`; `/*` where the name is not known. */
  subresourcesOf(on: ts.Expression | undefined): readonly string[] {
    if (!on) return ["/*"];
    const { found, lost } = this.#values.of(on, [], (node, path) => {
      const at = plain(node);
      if (path.length > 0 || !ts.isCallExpression(at)) return undefined;
      const [called] = this.#types.signaturesOf(at);
      if (!called || memberName(called) !== "Client.subresource") return undefined;
      const [name] = at.arguments;
      return name && this.#values.texts(name, [])?.map((text) => `/${text}`);
    });
    const names = found.map(({ value }) => value);
    return lost.length > 0 || names.length === 0 ? [...names, "/*"] : [...new Set(names)];
  }

  #placesOf(on: ts.Expression): readonly Place[] {
    const { found, lost } = this.#values.of<Place>(on, [], (node, path) => {
      const at = plain(node);
      if (path.length > 0) return undefined;
      if (ts.isCallExpression(at)) {
        const [called] = this.#types.signaturesOf(at);
        const name = called && this.#types.isOfTsop(called) ? memberName(called) : "";
        if (name === "createClient") return ["live"];
        const callee = plain(at.expression);
        const isPart = name === "Client.subresource" && ts.isPropertyAccessExpression(callee);
        return isPart ? this.#placesOf(callee.expression) : undefined;
      }
      if (!ts.isPropertyAccessExpression(at)) return undefined;
      const owner = this.#types.at(at.expression).getSymbol()?.name;
      const isOfApi = owner === "Client" || owner === "Manager" || owner === "Cluster";
      if (!isOfApi) return undefined;
      const base = owner === "Client" ? this.#placesOf(at.expression) : [];
      if (at.name.text === "live") return base.includes("elsewhere") ? base : ["live"];
      if (owner === "Client") return base;
      return owner === "Cluster" ? ["elsewhere"] : ["cache"];
    });
    return [...found.map(({ value }) => value), ...(lost.length > 0 ? (["cache"] as const) : [])];
  }
}
