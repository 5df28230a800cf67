// `npm run quickstart`: examples/myweb from its source to pods, with nothing but Node.
// `-- --example <name>` shows another example with its sample; `-- --keep` leaves control plane and operator running
// until Ctrl-C.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: { keep: { type: "boolean" }, example: { type: "string", default: "myweb" } },
});
const { keep = false, example } = options;
const examples = readdirSync(`${root}examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
if (!examples.includes(example)) {
  console.error(`There is no example ${example}.\n  fix Take one of ${examples.join(", ")}.`);
  process.exit(2);
}
const project = `${root}examples/${example}`;
const kubeconfig = `${project}/.tsop/kubeconfig`;
const TIMEOUT_MS = 30_000;
/** The time in which a controller would have recreated a deleted object. */
const CALM_MS = 500;
const key = { namespace: "default", name: "myweb" };
const labels = { "app.kubernetes.io/instance": key.name };

const began = performance.now();
let step = "prepare";
let operator;
let acme;

/** Runs one step; an error gets the step's name. */
async function run(title, work) {
  step = title;
  const from = performance.now();
  console.log(`\n${title}`);
  const result = await work();
  console.log(`  done in ${((performance.now() - from) / 1000).toFixed(1)} s`);
  return result;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Retries until the check does not throw, for at most 30 s. */
async function until(check) {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (operator?.ended) {
        throw new Error("the operator ended; its lines above say why", { cause: error });
      }
      if (performance.now() > end) throw error;
    }
    await sleep(50);
  }
}

function command(name, args, cwd) {
  const { status, error } = spawnSync(name, args, { cwd, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${name} ${args.join(" ")}\` exited with ${status}`);
}

const expect = (holds, message) => {
  if (!holds) throw new Error(message);
};

/** The time of the newest file below a folder. */
const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("generated"))
      .map((entry) => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs),
  );

/** Makes the files that a fresh or outdated clone lacks. */
function prepare() {
  const installed = `${root}node_modules/.package-lock.json`;
  const isOlder = (file, than) => !existsSync(file) || statSync(file).mtimeMs < than;
  if (!existsSync(installed)) {
    command("npm", ["ci", "--no-audit", "--no-fund"], root);
  } else if (isOlder(`${root}dist/build-id`, newest(`${root}src`))) {
    command("npm", ["run", "build"], root);
  } else {
    console.log("  nothing is missing");
  }
  // The example depends on this checkout.
  const link = `${project}/node_modules/tsop`;
  if (existsSync(link) && realpathSync(link) === realpathSync(root)) return;
  rmSync(link, { force: true, recursive: true });
  mkdirSync(`${project}/node_modules`, { recursive: true });
  symlinkSync(root, link, "junction");
}

/** Starts an ACME server, and the servers of its hosts; they end with this process. */
async function startAcme() {
  const args = [
    "scripts/run-ts.mjs",
    "scripts/examples/serve-acme.ts",
    `${project}/.tsop`,
    kubeconfig,
  ];
  acme = spawn(process.execPath, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await Promise.race([
    once(createInterface({ input: acme.stdout }), "line"),
    once(acme, "exit").then(([code]) => {
      throw new Error(`the ACME server ended with ${code}`);
    }),
  ]);
  return JSON.parse(line);
}

/** The surroundings of an example's operator on a machine without containers and hosts. */
async function surroundings() {
  if (example === "postgres") return { own: ["--simulate-instances"], environment: {} };
  if (example !== "mini-cert") return { own: [], environment: {} };
  const { directoryUrl, environment } = await startAcme();
  console.log(`  an ACME server is at ${directoryUrl}`);
  return { own: [`--acme-directory=${directoryUrl}`], environment };
}

/** Starts `tsop dev`; resolves when the controller runs. */
async function startDev() {
  const { own, environment } = await surroundings();
  const argv = [
    `${root}bin/tsop.js`,
    "dev",
    "--no-types",
    ...(own.length > 0 ? ["--", ...own] : []),
  ];
  const child = spawn(process.execPath, argv, {
    cwd: project,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  operator = { child, ended: false };
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`the controller did not start within ${TIMEOUT_MS / 1000} s`)),
      TIMEOUT_MS,
    );
    late.unref();
    child.once("error", reject);
    child.once("exit", (code) => {
      operator.ended = true;
      reject(new Error(`tsop dev ended with ${code}`));
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        console.log(`  ${line.trimEnd()}`);
        if (/^operator +ready/.test(line)) resolve();
        if (/^error /.test(line)) reject(new Error(line));
      });
    }
  });
}

async function stopDev() {
  acme?.stdin.end();
  if (!operator || operator.ended) return;
  const exit = new Promise((resolve) => operator.child.once("exit", resolve));
  operator.child.kill("SIGINT");
  await exit;
}

/** The objects of an example's samples, as manifests. */
function samples() {
  const folder = `${project}/config/samples`;
  const files = readdirSync(folder).filter((name) => /\.yaml$/.test(name));
  return files
    .filter((name) => name !== "kustomization.yaml")
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"));
}

const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;

/** Applies an example's samples, waits until they are ready, and deletes them. */
async function showSamples() {
  const { createClient, loadClusterConfig } = await import("../dist/index.js");
  const { Pod } = await import("../dist/k8s.js");
  const { parseAllDocuments } = await import("yaml");
  const client = createClient(loadClusterConfig({ kubeconfig }), { name: "quickstart" });
  const objects = samples()
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
    .filter((object) => object !== null)
    .map((object) => ({
      ...object,
      metadata: { namespace: key.namespace, ...object.metadata },
    }));
  const tokenOf = (object) => client.dynamic(object.apiVersion, object.kind);
  const find = async (object) => client.find(await tokenOf(object), object.metadata);

  await run("4. Apply the samples", async () => {
    for (const object of objects) {
      await client.apply(await tokenOf(object), object);
      console.log(`  ${nameOf(object)} is applied`);
    }
    for (const object of objects) {
      await until(async () => {
        const conditions = (await find(object))?.status?.conditions ?? [];
        const ready = conditions.find(({ type }) => type === "Ready");
        expect(ready?.status !== "False", `${nameOf(object)}: ${ready?.message}`);
        const isBuiltIn = !object.apiVersion.includes(".") || /\.k8s\.io\//.test(object.apiVersion);
        expect(ready || isBuiltIn, `${nameOf(object)} has no condition Ready`);
      });
      console.log(`  ${nameOf(object)} is ready`);
    }
    const pods = await client.list(Pod, { namespace: key.namespace });
    console.log(`  ${pods.length} ${pods.length === 1 ? "pod runs" : "pods run"}`);
  });

  await run("5. Delete them: nothing is left", async () => {
    for (const object of objects) await client.delete(await tokenOf(object), object.metadata);
    await until(async () => {
      for (const object of objects) {
        expect(!(await find(object)), `${nameOf(object)} is still there`);
      }
      const [pod] = await client.list(Pod, { namespace: key.namespace });
      expect(!pod, `Pod/${pod?.metadata.name} is still there`);
    });
    console.log("  the samples and their pods are gone");
  });
}

/** Serves, edits and removes a page. */
async function showMyWeb() {
  const { createClient, loadClusterConfig, mergePatch } = await import("../dist/index.js");
  const { ConfigMap, Deployment, Pod, Service } = await import("../dist/k8s.js");
  const { parse } = await import("yaml");
  const client = createClient(loadClusterConfig({ kubeconfig }), { name: "quickstart" });
  const MyWeb = await client.dynamic("operator.k8s-summit.org/v1", "MyWeb");
  const pods = () => client.list(Pod, { namespace: key.namespace, labels });
  const isReady = (pod) =>
    pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");

  const [firstPod] = await run("4. Apply config/samples/operator_v1_myweb.yaml", async () => {
    const sample = parse(readFileSync(`${project}/config/samples/operator_v1_myweb.yaml`, "utf8"));
    await client.apply(MyWeb, {
      ...sample,
      metadata: { ...sample.metadata, namespace: key.namespace },
    });
    for (const [name, kind] of Object.entries({ ConfigMap, Deployment, Service })) {
      await until(() => client.get(kind, key));
      console.log(`  ${name}/${key.name} is there`);
    }
    const ready = await until(async () => {
      const found = await pods();
      expect(found.length === 1 && isReady(found[0]), "no pod became ready");
      return found;
    });
    console.log(`  Pod/${ready[0].metadata.name} is ready`);
    const web = await until(async () => {
      const found = await client.get(MyWeb, key);
      expect(found.status?.completed, "status.completed did not become true");
      return found;
    });
    console.log(`  MyWeb/${key.name} is completed, served on port ${web.status.nodePort}`);
    return ready;
  });

  await run("5. Edit the page: the pods roll", async () => {
    const page = "<h1>Hello, tsop!</h1>";
    await client.patch(MyWeb, key, mergePatch({ spec: { pageContentHtml: page } }));
    const next = await until(async () => {
      const found = await pods();
      const [pod] = found;
      expect(found.length === 1 && isReady(pod), "the pods did not settle");
      expect(pod.metadata.uid !== firstPod.metadata.uid, "the pod was not replaced");
      return pod;
    });
    const { data } = await client.get(ConfigMap, key);
    expect(data["index.html"] === page, "the ConfigMap has the old page");
    console.log(`  Pod/${firstPod.metadata.name} made way for Pod/${next.metadata.name}`);
  });

  await run("6. Delete it: nothing is left", async () => {
    await client.delete(MyWeb, key);
    const nothingIsLeft = async () => {
      for (const [name, kind] of Object.entries({ MyWeb, ConfigMap, Deployment, Service })) {
        expect(!(await client.find(kind, key)), `${name}/${key.name} is still there`);
      }
      expect((await pods()).length === 0, "pods are still there");
    };
    await until(nothingIsLeft);
    await sleep(CALM_MS);
    await nothingIsLeft();
    console.log("  MyWeb, ConfigMap, Deployment, Service and pods are gone");
  });
}

async function main() {
  await run("1. Install and build what is missing", prepare);
  await run(`2. Generate the manifests of examples/${example} from its code`, () =>
    command(process.execPath, [`${root}bin/tsop.js`, "manifests"], project),
  );
  await run(
    "3. Start the control plane, install the CRD, run the operator with its role",
    startDev,
  );

  await (example === "myweb" ? showMyWeb() : showSamples());

  console.log(`\nAll of it took ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  if (keep) {
    console.log(`It keeps running; Ctrl-C to stop it. In another terminal:
  export KUBECONFIG=${kubeconfig}
  kubectl apply -f ${project}/config/samples
  kubectl get all`);
    await new Promise((resolve) => operator.child.once("exit", resolve));
    console.log("Control plane and operator have ended.");
    return;
  }
  await stopDev();
  console.log(`Next: an operator of your own, in an empty folder.
  node ${root}bin/tsop.js init --domain example.com
  npx tsop create api --group web --version v1 --kind Page --field title:string
  npx tsop manifests && npm test && npx tsop dev
The example is examples/${example}; \`npm run quickstart -- --example ${example} --keep\` leaves it running for kubectl.`);
}

for (const [name, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  process.once(name, () => void stopDev().then(() => process.exit(keep ? 0 : code)));
}
try {
  await main();
} catch (error) {
  console.error(`\nThe quickstart failed in step "${step}": ${error.message}`);
  console.error("  fix Read the lines above; `npm run build` again after changes of the source.");
  await stopDev();
  process.exitCode = 1;
}
