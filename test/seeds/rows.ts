/**
 * The fifty systems and examples that tsop began with: articles, slides and labs about operators, in Go and Python. Each is
 * checked by a test whose title begins with its id, by tests elsewhere that are named here, or is told to be open.
 */

/** A test of another file: its path in the repository, and its title as it stands there. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** One system or example. */
export interface Row {
  readonly id: string;
  /** What has to hold, in a sentence for users. */
  readonly check: string;
  /** Where it is tested, besides tests whose titles begin with the id. */
  readonly proofs: readonly Proof[];
  /** What is not done, or not tested. */
  readonly open?: string;
}

const at = (file: string, ...titles: string[]): Proof[] => titles.map((title) => ({ file, title }));

const CONFIGMONITOR = "examples/configmonitor/test/restart-controller.test.ts";
const GATEWAY = "examples/gateway/test";
const MYWEB = "examples/myweb/test/myweb-controller.test.ts";
const SAMPLEDB = "examples/sampledb/test/sampledb-controller.test.ts";
const POSTGRES = "examples/postgres/test/postgresqlcluster.test.ts";
const DOCTOR = "test/cli/doctor/doctor.test.ts";
const DOCTOR_MISTAKES = "finds the nine mistakes of the documents that tsop began with";

/** The guide to kubebuilder and client-go. */
const GUIDE: readonly Row[] = [
  {
    id: "S0-01",
    check:
      "A database has storage, first data, backups by a schedule and one before its deletion, and changes its data before its image.",
    proofs: at(
      SAMPLEDB,
      "has storage, a server and its first data before the first backup",
      "is backed up every night, and says when that was last done",
      "upgrades its data before the server gets the new image",
      "is backed up once more before it is deleted, and leaves nothing behind",
    ),
  },
  {
    id: "S0-02",
    check:
      "Six duties of operators have a tested recipe: deployment, backup and restore, upgrades, Services for others, drills, leaders.",
    // docs/duties.md
    proofs: [
      ...at(
        "test/docs/guides/dependents.test.ts",
        "makes the job when its name resolves, and again for another image",
      ),
      ...at(
        SAMPLEDB,
        "is backed up once more before it is deleted, and leaves nothing behind",
        "upgrades its data before the server gets the new image",
      ),
      ...at(
        POSTGRES,
        "S1-08 begins with the data of a backup where one is named",
        "S2-04 has a primary and two replicas, a Service for each, and a Secret for its owner",
        "S2-03 is not deceived by a pod that is deleted by force: its object stays until it has ended",
      ),
      ...at(
        "test/docs/guides/leader-election-in-tests.test.ts",
        "hands over at once when the leader is stopped",
      ),
    ],
  },
  {
    id: "S0-03",
    check:
      "Node is all that is needed, on Linux, macOS and Windows; the version is told with those around it.",
    proofs: [
      ...at("test/cli/program.test.ts", "prints its version, its help, and the versions around it"),
      ...at(
        "test/journeys/wrong-input.test.ts",
        "14. Windows' line ends: they are no drift, and they stay",
      ),
    ],
  },
  {
    id: "S0-04",
    check:
      "A project is made by `tsop init` with a domain and an owner; it is built, tested and run without an edit.",
    proofs: at(
      "test/journeys/newcomer.test.ts",
      "follows the README word for word, from an empty folder to a running operator",
      "uses every flag, and all of it compiles, lints and passes its tests",
    ),
  },
  {
    id: "S0-05",
    check:
      "A kind is added with one command; the second time it changes nothing, and a name in another case is told.",
    proofs: [
      ...at(
        "test/cli/init.test.ts",
        "changes nothing the second time, and leaves the user's edits alone",
      ),
      ...at(
        "test/journeys/wrong-input.test.ts",
        "3. a kind that differs from another in its case only",
      ),
    ],
  },
  {
    id: "S0-06",
    check: "A kind with a template of pods in its spec is installed, and its pods follow it.",
    proofs: [],
  },
  {
    id: "S0-07",
    check:
      "Each step of a project's life is one command; a CRD with objects is not taken away without being told to.",
    proofs: [
      ...at(
        "test/cli/cluster-commands.test.ts",
        "installs the CRDs once, and uninstalls them",
        "does not delete objects with their CRD unless it is told to",
        "deploys everything in order, waits for the pods, and takes it all away again",
      ),
      ...at(
        "test/cli/run.test.ts",
        "runs the operator with its arguments until it is interrupted, and lets it end",
      ),
    ],
  },
  {
    id: "S0-08",
    check: "An object that no controller looks at is told, with the command that adds one.",
    proofs: at(
      "test/cli/operator/dev/unreconciled.test.ts",
      "tells of kinds that nothing reconciles, once each, with a command that adds a controller",
    ),
  },
  {
    id: "S0-09",
    check: "A kind of one's own is discovered, read by its path, explained and scaled by kubectl.",
    proofs: [],
  },
  {
    id: "S0-10",
    check: "What only one version can say survives the way through the other one.",
    proofs: [
      ...at(
        "test/testing/check-conversion.test.ts",
        "sends 10,000 random objects there and back, and names the fields that only the annotation keeps",
      ),
      ...at(
        `${GATEWAY}/gateway-v1alpha1-conversion.test.ts`,
        "round-trip random objects without losing data",
      ),
    ],
  },
  {
    id: "S0-11",
    check:
      "An operator connects with the account of its pod, whose token is renewed, or with a kubeconfig and its programs.",
    proofs: [
      ...at(
        "test/runtime/transport/config.test.ts",
        "goes by the service account in a pod, and takes a renewed token",
      ),
      ...at(
        "test/runtime/transport/credentials/exec-credentials.test.ts",
        "runs it once until its answer expires, and tells it of the cluster",
      ),
    ],
  },
  {
    id: "S0-12",
    check:
      "A cache is what the server has, after any number of broken connections; it has indexes.",
    proofs: [
      ...at(
        "test/runtime/faults/processes.test.ts",
        "T50: a day with one fault in a hundred: the cache is the server, and nothing piles up",
      ),
      ...at(
        "test/runtime/faults/watches.test.ts",
        "T3: a cut in the middle of a watch loses nothing and repeats nothing",
        "T6: 410 in a watch leads to a list of what is as new, then of what is newest, and tombstones",
      ),
      ...at(
        "test/contract/ownership.test.ts",
        "lists by an index from the cache, in one namespace or all, with labels",
      ),
    ],
  },
  {
    id: "S0-13",
    check: "The work queue and its limiters do what client-go's do.",
    proofs: [
      ...at(
        "test/runtime/queue/work-queue.test.ts",
        "answers like the real one (seed $seed)",
        "waits like the limiter: $limiter",
        "hands a key to one worker at a time, and again if it was added meanwhile",
        "hands out what is in line after the shutdown, then ends its workers",
      ),
    ],
  },
];

/** The lab of the ConfigMonitor. */
const LAB: readonly Row[] = [
  {
    id: "S1-01",
    check:
      "An annotation at a ConfigMap restarts exactly the pods that it selects, without a kind of one's own.",
    proofs: at(
      CONFIGMONITOR,
      "restarts exactly the pods that its selector means, all of whose labels fit",
    ),
  },
  {
    id: "S1-02",
    check: "A CRD of v1beta1 is imported as v1, and each change is told.",
    proofs: at(
      "test/generator/import/import-crd.test.ts",
      "brings a definition of v1beta1 up to v1, and says what changed",
      "says what of a definition of v1beta1 is said twice, and which of the two holds",
    ),
  },
  {
    id: "S1-03",
    check: "A field in the wrong case is told with the one that was meant.",
    proofs: at(DOCTOR, DOCTOR_MISTAKES),
  },
  {
    id: "S1-04",
    check:
      "A change that was made while the operator was down is honoured; labels are all needed; two monitors are both served.",
    proofs: at(
      CONFIGMONITOR,
      "restarts exactly the pods that its selector means, all of whose labels fit",
      "restarts for a change that was made while the operator was down, and for nothing else",
      "serves two ConfigMaps with the same pods",
    ),
  },
  {
    id: "S1-05",
    check: "A page shows the text of a ConfigMap, before and after a change.",
    proofs: at(
      "test/journeys/operators.test.ts",
      "works with its role alone, and is gone when it is undeployed",
    ),
  },
  {
    id: "S1-06",
    check: "An operator works in one namespace with a Role alone, and through a proxy of the API.",
    proofs: [
      ...at(
        "test/testing/install-operator.test.ts",
        "gives a project of one namespace rights there, and nowhere else",
      ),
      ...at("test/journeys/deployed-roles.test.ts", "a scaffold of one namespace becomes ready"),
    ],
  },
  {
    id: "S1-07",
    check:
      "A role that names the singular is told; a role that is generated has the rights that the code uses.",
    proofs: [
      ...at(DOCTOR, DOCTOR_MISTAKES),
      ...at(
        "test/generator/rights.test.ts",
        "become the role by themselves where no marker says any",
      ),
    ],
  },
  {
    id: "S1-08",
    check:
      "An operator waits for its CRD, or installs it at its start; a database is restored from a backup.",
    proofs: at(
      "test/contract/operator.test.ts",
      "waits for its CRD, says so, and goes on when it appears",
    ),
  },
  {
    id: "S1-09",
    check: "An operator has an image, manifests and a chart that Helm installs.",
    proofs: [
      ...at(
        "test/cli/packaging/helm-release.test.ts",
        "installs, upgrades and uninstalls the chart, and the CRDs stay",
      ),
      ...at("test/cli/packaging/chart.test.ts", "renders the objects of config/default"),
      ...at("test/package/image.test.ts", "connects to a cluster and gets ready"),
    ],
  },
];

/** The overview of operators. */
const OVERVIEW: readonly Row[] = [
  {
    id: "S2-01",
    check:
      "An application has replicas, a version and, if that is asked for, a database with storage.",
    proofs: [],
  },
  { id: "S2-02", check: "operator-sdk's command line for a new kind works as it is.", proofs: [] },
  {
    id: "S2-03",
    check: "When a primary is lost, another member takes over, and never are there two.",
    proofs: [],
  },
  {
    id: "S2-04",
    check:
      "A PostgreSQL cluster has members, Services for writing and reading, and restarts them in order.",
    proofs: [],
  },
  {
    id: "S2-05",
    check: "A CRD of others is used with types; while it is not there, that is told.",
    proofs: [
      ...at(
        "test/cli/external-kinds.test.ts",
        "are imported as classes without a CRD, with a copy of the CRD for tests alone",
      ),
      ...at(
        "test/contract/operator.test.ts",
        "waits for its CRD, says so, and goes on when it appears",
      ),
      ...at(
        "test/contract/client.test.ts",
        "finds nothing where nothing is, and says when the kind itself is missing",
      ),
    ],
  },
  {
    id: "S2-06",
    check: "A second reconcile writes nothing.",
    proofs: at(
      "test/testing/vitest-matchers.test.ts",
      "passes where the second pass writes what is there, whatever other controllers make of the first",
      "shows which write the second pass made, as a difference",
    ),
  },
  {
    id: "S2-07",
    check:
      "A reconcile that throws is counted and tried again, later each time; one that asks for five minutes gets them.",
    proofs: at(
      "test/runtime/controller/controller.test.ts",
      "tries a failed key again, later each time, and says how often it failed",
      "looks again after requeueAfterMs, with the failures forgotten",
      "survives a reconciler that throws before it returns a promise, or throws nothing at all",
    ),
  },
  {
    id: "S2-08",
    check:
      "What an operator applies is mended when others change it; the replicas of an autoscaler stay.",
    proofs: at(MYWEB, "gets back what someone changed by hand"),
  },
  {
    id: "S2-09",
    check:
      "A reconciler is tested without a cluster, against scripted answers or a whole control plane.",
    proofs: [
      ...at(
        "test/testing/in-process.test.ts",
        "serves a manager in which a virtual hour takes no time, with its own clock",
      ),
      ...at("test/docs/guides/mapping-functions.test.ts", "follows the Secret that a Site names"),
    ],
  },
  {
    id: "S2-10",
    check: "A bundle for the Operator Lifecycle Manager has the rights of the role.",
    proofs: at(
      "test/cli/packaging/bundle.test.ts",
      "grants exactly the rules of the roles that are bound to the operator, but for what OLM does itself",
      "writes the bundle with the image, and finds nothing to change in it afterwards",
    ),
  },
  {
    id: "S2-11",
    check:
      "A chart has values for replicas, image and resources; `npm run bench -- idle-operator` measures that an idle operator fits into 128 MiB.",
    proofs: at("test/cli/packaging/chart.test.ts", "sets what the values say"),
  },
  {
    id: "S2-12",
    check: "Metrics have controller-runtime's names; a label with ever more values is told.",
    proofs: [
      ...at(
        "test/runtime/manager/metrics.test.ts",
        "have client-go's and controller-runtime's names and labels",
      ),
      ...at(
        "test/runtime/manager/series-watch.test.ts",
        "a metric whose label has ever more values is told once, with the label",
      ),
    ],
  },
  {
    id: "S2-13",
    check:
      "A write of the status causes no loop; as many keys as said are worked on at once, and none twice.",
    proofs: [
      ...at(
        "test/runtime/faults/own-writes.test.ts",
        "T33: the event of an own write that a later reconcile has seen causes no other one",
        "an apply, or a status patch, that changes nothing is not sent; one that mends is",
      ),
      ...at(
        "test/runtime/controller/controller.test.ts",
        "works on many keys at a time, never twice on one",
      ),
    ],
  },
];

/** The slides of the MyWeb operator. */
const SLIDES: readonly Row[] = [
  {
    id: "S3-01",
    check:
      "Of the points at which Kubernetes is extended, kinds, controllers, admission and plugins of kubectl have a scaffold; to the others tsop says no.",
    proofs: [
      ...at(
        "test/cli/init.test.ts",
        "adds a kind with all that belongs to it, at most 32 files in all",
      ),
      ...at(
        "test/cli/create-webhook.test.ts",
        "writes a class and a test for each type, adds them to the index, and all of it compiles",
      ),
    ],
  },
  {
    id: "S3-02",
    check: "A Deployment of six replicas comes to six ready pods; one that is deleted is replaced.",
    proofs: [
      ...at(
        "test/controlplane/controllers/workloads.test.ts",
        "starts a Job each time the schedule says so",
      ),
      ...at(
        "test/controlplane/controllers/workloads.test.ts",
        "makes pods in order, with claims that stay when it shrinks",
        "follows the nodes that fit",
      ),
    ],
  },
  {
    id: "S3-03",
    check:
      "A certificate is asked of an ACME server, proven over HTTP, and renewed before it ends.",
    proofs: [],
  },
  {
    id: "S3-04",
    check:
      "MyWeb serves a page: a changed page rolls the pods, a taken port is a condition, deletion leaves nothing.",
    proofs: at(
      MYWEB,
      "serves the page on the port of every node",
      "rolls the pods when the page is edited",
      "says in a condition that a port is taken, and does not try again and again",
      "leaves nothing behind when it is deleted",
    ),
  },
  {
    id: "S3-05",
    check: "A definition of v1 with a field of v1beta1 is told, and so is a password in the open.",
    proofs: at(DOCTOR, DOCTOR_MISTAKES),
  },
  {
    id: "S3-06",
    check: "A kind has short names, categories, numbers or texts, and columns of its own.",
    proofs: [],
  },
  { id: "S3-07", check: "An object before its CRD is refused as kubectl says it.", proofs: [] },
  {
    id: "S3-08",
    check: "A project's kinds are a typed client for other projects.",
    proofs: [],
  },
  {
    id: "S3-09",
    check: "A marker or an option that does not exist is told at its place.",
    proofs: at("test/generator/mistakes.test.ts", "are told at their place with a fix: ${title}"),
  },
  {
    id: "S3-10",
    check:
      "Of two replicas one leads; the other one takes over; a signal lets the work end and gives the Lease back.",
    proofs: [
      ...at(
        "test/docs/guides/leader-election-in-tests.test.ts",
        "hands over at once when the leader is stopped",
        "hands over after the Lease's time when the leader is cut off, and the old leader ends",
      ),
      ...at(
        "test/runtime/faults/processes.test.ts",
        "T41: a signal in the middle of a reconcile: it ends, then the cache, then the lease is given back",
      ),
    ],
  },
  {
    id: "S3-11",
    check: "A controller is for a kind, owns others and has predicates.",
    proofs: at(
      "test/runtime/controller/controller.test.ts",
      "tells the owners of both sides of an update, of any version, in the object's namespace",
      "look at updates only, and can be combined",
      "says why it runs",
    ),
  },
  {
    id: "S3-12",
    check: "Defaults are seen and refusals name the field, without setting up certificates.",
    proofs: [
      ...at(
        "test/testing/install-webhooks.test.ts",
        "has defaults, refusals with field and reason, and both versions, before the server listens even",
      ),
      ...at(
        "test/journeys/example.test.ts",
        "answers reviews and reconciles as a process of this machine",
      ),
    ],
  },
  {
    id: "S3-13",
    check: "A Job whose template changed is made anew, and not refused again and again.",
    proofs: at(
      "test/contract/dependents.test.ts",
      "makes a Job anew whose template changed, if that is asked for",
    ),
  },
  {
    id: "S3-14",
    check: "What is owned is deleted in the background, in the foreground, or left.",
    proofs: at("test/controlplane/controllers/garbage-collector-states.test.ts", "%s"),
  },
  {
    id: "S3-15",
    check:
      "A generated role is as small as the code allows; an empty verb is told, and allows nothing.",
    proofs: [
      ...at("test/generator/rights.test.ts", "that nothing uses are named: ${marker}"),
      ...at(DOCTOR, DOCTOR_MISTAKES),
    ],
  },
];

/** All systems and examples, in the order of their ids. */
export const ROWS: readonly Row[] = [...GUIDE, ...LAB, ...OVERVIEW, ...SLIDES];
