/**
 * What a MyWeb consists of. Pure: the same MyWeb gives the same objects.
 */
import { createHash } from "node:crypto";
import type { Intent } from "tsop";
import type { ConfigMap, Deployment, Service } from "tsop/k8s";
import type { MyWeb } from "../api/v1/myweb.ts";

/** A change of this annotation of the pod template rolls the pods. */
export const PAGE_HASH = "operator.k8s-summit.org/page-hash";

/** The page as a file. */
export function configMapFor(web: MyWeb): Intent<ConfigMap> {
  return { metadata: metadataFor(web), data: { "index.html": web.spec.pageContentHtml } };
}

/** The web server, with the page in it. */
export function deploymentFor(web: MyWeb): Intent<Deployment> {
  const labels = labelsFor(web);
  const hash = createHash("sha256").update(web.spec.pageContentHtml).digest("hex").slice(0, 16);
  return {
    metadata: metadataFor(web),
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { [PAGE_HASH]: hash } },
        spec: {
          containers: [
            {
              name: "web",
              image: web.spec.image,
              ports: [{ name: "http", containerPort: 80 }],
              volumeMounts: [{ name: "page", mountPath: "/usr/share/nginx/html" }],
              // A new pod gets requests once it serves the page, and the old one ends once it gets none any more:
              // a changed page drops no request.
              readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 2 },
              lifecycle: { preStop: { sleep: { seconds: 5 } } },
            },
          ],
          volumes: [{ name: "page", configMap: { name: web.metadata.name } }],
        },
      },
    },
  };
}

/** The web server's port on every node. */
export function serviceFor(web: MyWeb): Intent<Service> {
  const { nodePortNumber } = web.spec;
  return {
    metadata: metadataFor(web),
    spec: {
      type: "NodePort",
      selector: labelsFor(web),
      ports: [
        { name: "http", protocol: "TCP", port: 80, targetPort: "http", nodePort: nodePortNumber },
      ],
    },
  };
}

function labelsFor(web: MyWeb): Record<string, string> {
  return { "app.kubernetes.io/name": "myweb", "app.kubernetes.io/instance": web.metadata.name };
}

function metadataFor(web: MyWeb): { name: string; labels: Record<string, string> } {
  return { name: web.metadata.name, labels: labelsFor(web) };
}
