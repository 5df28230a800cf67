/**
 * A plugin of kubectl as krew takes it: an archive, and a manifest for its index.
 *
 * @see https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
 */
import { gzipSync } from "node:zlib";
import { toYaml } from "../../kube/text/yaml.ts";
import { programOf } from "../project/plugins/plugin-names.ts";
import { writeTar } from "./oci/tar.ts";

/** The facts about a plugin in its manifest. */
export interface KrewPlugin {
  readonly name: string;
  readonly version: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly homepage: string;
  /** Where the archive can be downloaded. */
  readonly uri: string;
  readonly sha256: string;
  readonly files: readonly string[];
}

const CAVEATS = `The plugin needs Node 20.19 or newer on the PATH.
`;

/** The archive of the files; those that begin with `kubectl` can be run. */
export function krewArchive(files: ReadonlyMap<string, string>): Buffer {
  const programs = [...files.keys()].filter((name) => name.startsWith("kubectl"));
  const contents = new Map([...files].map(([name, text]) => [name, Buffer.from(text)]));
  return gzipSync(writeTar(contents, new Set(programs)), { level: 9 });
}

/** The manifest, as `plugins/NAME.yaml` of krew's index. */
export function krewManifest(plugin: KrewPlugin): string {
  const { name, version, summary, homepage, uri, sha256, files } = plugin;
  return toYaml({
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: summary.replace(/\.$/, ""),
      description: `${summary}\n`,
      caveats: CAVEATS,
      platforms: [
        {
          // On Windows krew wants an .exe; npm installs the plugin there.
          selector: {
            matchExpressions: [{ key: "os", operator: "In", values: ["darwin", "linux"] }],
          },
          uri,
          sha256,
          bin: programOf(name),
          files: files.map((from) => ({ from, to: "." })),
        },
      ],
    },
  });
}
