/**
 * What proves the hosts of a Certificate while an order is under way. Pure: the same Certificate gives the same objects.
 */
import { dependent, shortName, type Dependent, type Intent } from "tsop";
import { ConfigMap, Deployment, Ingress, Service } from "tsop/k8s";
import type { Certificate, Challenge } from "../api/v1/certificate.ts";

const IMAGE = "nginxinc/nginx-unprivileged:1.27";
const PORT = 8080;
const FOLDER = "/.well-known/acme-challenge";

/** All kinds of these objects. */
export const KINDS = [ConfigMap, Deployment, Service, Ingress];

/** A web server with the answers, at its place below each host. None where nothing has to be proven. */
export function solverOf(certificate: Certificate): Dependent[] {
  const challenges = certificate.status?.order?.challenges ?? [];
  if (challenges.length === 0) return [];
  const name = shortName([certificate.metadata.name, "acme"]);
  const labels = { "app.kubernetes.io/name": "mini-cert", "app.kubernetes.io/instance": name };
  const metadata = { name, labels };
  const data = Object.fromEntries(challenges.map(({ token, answer }) => [token, answer]));
  return [
    dependent(ConfigMap, { metadata, data }),
    dependent(Deployment, serverFor(metadata)),
    dependent(Service, serviceFor(metadata)),
    // Many controllers of Ingresses write no status: whether it works, a request says.
    dependent(Ingress, ingressFor(metadata, challenges), { ready: () => true }),
  ];
}

/** Of all these objects: they have one name. */
interface Metadata {
  name: string;
  labels: Record<string, string>;
}

/** Where the answer to a challenge has to be. */
export function urlOf({ host, token }: Challenge): string {
  return `http://${host}${FOLDER}/${token}`;
}

function serverFor({ name, labels }: Metadata): Intent<Deployment> {
  return {
    metadata: { name, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          containers: [
            {
              name: "nginx",
              image: IMAGE,
              ports: [{ name: "http", containerPort: PORT }],
              volumeMounts: [{ name: "answers", mountPath: `/usr/share/nginx/html${FOLDER}` }],
            },
          ],
          volumes: [{ name: "answers", configMap: { name } }],
        },
      },
    },
  };
}

function serviceFor({ name, labels }: Metadata): Intent<Service> {
  return {
    metadata: { name, labels },
    spec: {
      selector: labels,
      ports: [{ name: "http", protocol: "TCP", port: 80, targetPort: "http" }],
    },
  };
}

function ingressFor({ name, labels }: Metadata, challenges: Challenge[]): Intent<Ingress> {
  const backend = { service: { name, port: { name: "http" } } };
  return {
    metadata: { name, labels },
    spec: {
      rules: challenges.map(({ host, token }) => ({
        host,
        http: { paths: [{ path: `${FOLDER}/${token}`, pathType: "Exact", backend }] },
      })),
    },
  };
}
