/**
 * What a Gateway consists of. Pure: the same Gateway gives the same objects.
 */
import { hashOf, type Intent } from "tsop";
import type { ConfigMap, Deployment, Service } from "tsop/k8s";
import type { Gateway, Route } from "../api/v1/gateway.ts";

const IMAGE = "nginx:1.27";
const HTTP = 80;
/** A change of this annotation of the pod template rolls the pods. */
const CONFIG_HASH = "edge.example.com/config-hash";

/** What nginx does for a Gateway. The schema lets nothing into hosts, paths and Services that nginx would take for more. */
export function nginxConfig({ metadata, spec }: Gateway): string {
  const proxy = ({ path, service, port }: Route): string =>
    `  location ${path} { proxy_pass http://${service}.${metadata.namespace ?? "default"}.svc:${port}; }`;
  return [
    "server {",
    `  listen ${HTTP};`,
    `  server_name ${spec.hosts?.join(" ") ?? "_"};`,
    `  proxy_read_timeout ${spec.timeoutMs}ms;`,
    ...spec.routes.map(proxy),
    "}",
    "",
  ].join("\n");
}

/** The configuration as a file. */
export function configMapFor(gateway: Gateway): Intent<ConfigMap> {
  return { metadata: metadataFor(gateway), data: { "gateway.conf": nginxConfig(gateway) } };
}

/** Two nginx with the configuration. */
export function deploymentFor(gateway: Gateway): Intent<Deployment> {
  const { name, labels } = metadataFor(gateway);
  const hash = hashOf(nginxConfig(gateway));
  return {
    metadata: { name, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [CONFIG_HASH]: hash } },
        spec: {
          containers: [
            {
              name: "nginx",
              image: IMAGE,
              ports: [{ name: "http", containerPort: HTTP }],
              volumeMounts: [{ name: "config", mountPath: "/etc/nginx/conf.d" }],
            },
          ],
          volumes: [{ name: "config", configMap: { name } }],
        },
      },
    },
  };
}

/** The address at which they are reached. */
export function serviceFor(gateway: Gateway): Intent<Service> {
  const { name, labels } = metadataFor(gateway);
  return {
    metadata: { name, labels },
    spec: {
      selector: labels,
      ports: [{ name: "http", protocol: "TCP", port: HTTP, targetPort: "http" }],
    },
  };
}

function metadataFor({ metadata }: Gateway): { name: string; labels: Record<string, string> } {
  const { name } = metadata;
  const labels = { "app.kubernetes.io/name": "gateway", "app.kubernetes.io/instance": name };
  return { name, labels };
}
