import {
  CustomResource,
  Embed,
  ListMap,
  Minimum,
  PrintColumn,
  Resource,
  Scale,
  type Condition,
  type Int32,
  type Int64,
} from "tsop";
import type { PodTemplateSpec } from "tsop/k8s";

/** What a HelloWorld asks for. */
export class HelloWorldSpec {
  /** How many pods there are. */
  @Minimum(0) replicas: Int32 = 1;
  /** What each pod is. */
  @Embed({ descriptions: false }) template!: PodTemplateSpec;
}

/** What was last seen of a HelloWorld. */
export class HelloWorldStatus {
  /** How many pods there are. */
  replicas?: Int32;
  /** How many of them are ready. */
  readyReplicas?: Int32;
  /** The generation of the spec that this status speaks of. */
  observedGeneration?: Int64;
  /** `Ready` says whether as many pods are ready as the spec asks for. */
  @ListMap("type") conditions?: Condition[];
}

/** Pods of one template, as many as one likes. */
@Resource({
  group: "myapp.example.com",
  version: "v1",
  plural: "helloworlds",
  shortNames: ["hello"],
  userRoles: "separate",
})
@Scale({
  spec: (hello: HelloWorld) => hello.spec.replicas,
  status: (hello: HelloWorld) => hello.status?.replicas,
})
@PrintColumn("Replicas", (hello: HelloWorld) => hello.spec.replicas)
@PrintColumn("Ready", (hello: HelloWorld) => hello.status?.readyReplicas)
@PrintColumn("Age", (hello: HelloWorld) => hello.metadata.creationTimestamp)
export class HelloWorld extends CustomResource<HelloWorldSpec, HelloWorldStatus> {}
