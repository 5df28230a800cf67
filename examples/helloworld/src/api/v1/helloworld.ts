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

/** The desired state of a HelloWorld. */
export class HelloWorldSpec {
  /** How many pods there are. */
  @Minimum(0) replicas: Int32 = 1;
  /** What each pod is. */
  @Embed({ descriptions: false }) template!: PodTemplateSpec;
}

/** The observed state of a HelloWorld. */
export class HelloWorldStatus {
  /** How many pods there are. */
  replicas?: Int32;
  /** How many of them are ready. */
  readyReplicas?: Int32;
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** Conditions of the object. `Ready` is True when the desired number of pods is ready. */
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
