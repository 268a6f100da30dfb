// The import table: a room may import what its line lists (a room, a folder or a file), and nothing above it. Type-only imports count.
const rooms = {
  util: [],
  value: ["util"],
  apply: ["util", "value"],
  meta: ["util", "value"],
  pki: ["util"],
  http2: ["util"],
  patch: ["util", "value", "apply/schema"],
  schema: ["util", "value", "meta", "apply/schema"],
  "wire/encoding": ["value"],
  cel: ["util", "value", "meta", "wire/encoding"],
  kinds: ["util", "value", "meta", "apply/schema", "schema", "cel", "pki"],
  wire: ["util", "value", "meta", "apply/schema", "schema", "kinds"],
  grpc: ["util", "http2", "wire/encoding"],
  tracing: ["util", "wire/encoding", "grpc"],
  storage: ["util", "wire/encoding", "grpc"],
  encryption: ["util", "value", "wire/encoding", "storage"],
  cache: ["util", "storage"],
  auth: ["util", "value", "meta", "schema", "cel"],
  audit: ["util", "value", "meta", "auth"],
  hooks: ["util", "value"],
  admission: ["util", "value", "apply", "meta", "patch", "schema", "cel", "kinds", "auth", "pki", "hooks"],
  // It knows no kind, no step of admission and no action: cluster/ hands them over.
  registry: [
    "util",
    "value",
    "apply",
    "meta",
    "patch",
    "schema",
    "storage",
    "cache",
    "auth/contract",
    "admission/contract",
    "admission/chain",
  ],
  actions: ["util", "value", "meta", "schema", "auth", "registry"],
  // Policies that are tried: on what is stored, and on cases.
  trial: [
    "util",
    "value",
    "meta",
    "schema",
    "storage/contract",
    "cache",
    "cel",
    "auth/contract",
    "hooks",
    "admission",
    "registry",
  ],
  extension: ["util", "value", "meta", "schema", "cel", "kinds", "auth", "admission", "registry", "hooks"],
  fairness: ["util", "meta", "kinds", "auth"],
  server: ["util", "http2", "value", "meta", "schema", "wire", "tracing", "auth", "audit", "registry", "fairness"],
  // The server side of the console.
  console: ["util", "value", "meta", "schema", "storage", "auth", "registry", "fairness", "server"],
  plan: [
    "util",
    "value",
    "meta",
    "schema",
    "kinds/usage",
    "kinds/core",
    "kinds/rules",
    "storage",
    "auth/contract",
    "registry",
    // The types of objects, and which Pods a change of a workload restarts.
    "client/kinds",
    "workloads/restarts",
  ],
  client: ["util", "value", "meta"],
  claims: ["meta", "client/kind", "client/kinds"],
  runtime: ["util", "meta", "client"],
  // What workloads need, as pure functions of objects and of the time.
  workloads: ["util", "value", "meta", "client/kind", "client/kinds", "claims"],
  controllers: [
    "util",
    "meta",
    "pki",
    "cel/environments/type-checks",
    "cel/schema/declaration",
    "kinds/usage",
    "client",
    "claims",
    "runtime",
    "workloads",
  ],
  // Nodes without machines, whose Pods live by scripts.
  simulation: ["util", "value", "meta", "client", "claims", "runtime", "workloads"],
  volumes: ["util", "meta", "pki", "client"],
  csi: ["util"],
  drivers: ["util", "csi"],
  sidecars: ["util", "meta", "client", "claims", "runtime", "csi"],
  why: [
    "util",
    "value",
    "meta",
    "client",
    "claims",
    "controllers/common",
    "controllers/garbage",
    "controllers/namespaces/content",
    "controllers/scheduler",
    "workloads",
    "sidecars/provision",
    "sidecars/snapshot",
  ],
  node: ["util", "meta", "client", "claims", "runtime", "volumes", "csi"],
  // Faults of controllers: plans of what may go wrong, judging, shrinking and reports. It plays nothing itself.
  explore: ["util", "value", "meta", "cel", "client/kind", "schema/structural"],
  cli: [
    "util",
    "value",
    "meta",
    "audit",
    "schema",
    "cel",
    "admission/rules/rule",
    "auth/rbac",
    "client",
    "claims/fit",
    "explore/contract",
    "volumes",
    "node/written",
  ],
};
const below = Object.keys(rooms).filter((name) => name !== "cli");
// Every room put together: without a port, a file or a process; the kit on top of it; the program on top of all.
rooms.cluster = below;
rooms.testing = [...below, "cluster"];
rooms.app = [...below, "cluster", "cli", "testing"];

const TESTS = ["\\.test\\.ts$", "(?<!src)/testing/"];
/** What tests of a room may import beside it. */
const besideTests = {
  meta: ["util"],
  trial: ["storage"],
  actions: ["kinds"],
  server: ["pki", "kinds"],
  hooks: ["pki"],
};

const room = ([name, may]) => ({
  name: `room-${name}`,
  severity: "error",
  comment: `src/${name}/ may import only: ${may.join(", ") || "nothing of ours"}. Move the shared part down, or pass it in.`,
  from: { path: `^src/${name}/`, ...(besideTests[name] ? { pathNot: TESTS } : {}) },
  to: { path: "^src/", pathNot: [`^src/${name}/`, ...may.map((m) => `^src/${m}(/|\\.ts$)`)] },
});

const roomTests = ([name, more]) => ({
  ...room([name, [...rooms[name], ...more]]),
  name: `room-${name}-tests`,
  from: { path: TESTS.map((path) => `^src/${name}/.*${path}`) },
});

/**
 * The ladders inside rooms, lowest rung first; folders of one rung stand side by side. A rung is a folder, or a file at the root of the
 * room. It may import itself and the rungs below it. Other files at the root of a room stand above its ladder; so do tests.
 */
const ladders = {
  apply: ["schema", "fieldpath", "typed", "merge"],
  registry: [
    "contract.ts",
    // A kind that is served, a write of one of its objects, and errors.
    "kind",
    "versions",
    // Between bodies and objects: decoding, owners, results.
    "objects",
    "commit",
    "allocation",
    "pipeline",
    ["verbs", "unstored"],
  ],
  controllers: [
    "common",
    [
      "access",
      "certificates",
      "election",
      "garbage",
      "namespaces",
      "nodes",
      "pods",
      "policies",
      "quota",
      "scheduler",
      "storage",
      "storage-versions",
      "workloads",
    ],
  ],
  explore: [
    "contract",
    // Events and Leases, which tell nothing of what a program has done.
    "aside.ts",
    // Normal names of objects, and the points of a run that plans name.
    "names.ts",
    "points.ts",
    // What caused what in a clean run.
    "causality.ts",
    "perturbations",
    ["judge", "operations"],
    "plans",
    // Runs within a budget, with their clean runs; what is made of them.
    "runs.ts",
    "shrink.ts",
    "coverage.ts",
    // What is asked and returned; what was found by now, and how it is confirmed or compared; the loop.
    "exploration.ts",
    "findings.ts",
    ["confirm.ts", "compare.ts"],
    "explore.ts",
    // The file of a finding.
    "strict.ts",
    "finding-value.ts",
    "finding-file.ts",
    "report",
  ],
  kinds: [
    "rules",
    // Groups that know no other; core takes tokens, scales and evictions of them.
    [
      "admissionregistration",
      "apiextensions",
      "apiregistration",
      "authentication",
      "authorization",
      "autoscaling",
      "certificates",
      "coordination",
      "discovery",
      "flowcontrol",
      "metrics",
      "networking",
      "policy",
      "rbac",
      "resource",
      "scheduling",
      "storagemigration",
    ],
    "core",
    // Groups whose kinds hold parts of those of core: templates of Pods, specs of volumes, Events.
    ["apps", "batch", "events", "node", "storage", "usage"],
  ],
  server: [
    ["shared", "threads"],
    "request",
    ["response", "body"],
    ["audit", "documents", "http", "operations", "verbs"],
    "watch",
    "routing",
    "filters",
  ],
};

/** The rules of the ladder in one room: one for each folder, and one for folders that are not on the ladder. */
const ladder = ([room, rungs]) => {
  const pathOf = (rung) => `^src/${room}/${rung.endsWith(".ts") ? `${rung.replace(".", "\\.")}$` : `${rung}/`}`;
  const rung = (folder, below) => ({
    name: `${room}-ladder-${folder}`,
    severity: "error",
    comment: `Inside its room, src/${room}/${folder}/ may import only: ${below.join(", ") || "nothing"}. Move the shared part down, or pass it in.`,
    from: { path: pathOf(folder), pathNot: TESTS },
    to: { path: `^src/${room}/`, pathNot: [folder, ...below].map(pathOf) },
  });
  return [
    ...rungs.flatMap((folders, i) => [folders].flat().map((folder) => rung(folder, rungs.slice(0, i).flat()))),
    {
      name: `${room}-ladder-unknown`,
      severity: "error",
      comment: `This folder is not on the ladder of src/${room}/: name it there, on the lowest rung that it can stand on.`,
      from: { path: `^src/${room}/[^/]+/`, pathNot: [...rungs.flat().map(pathOf), ...TESTS] },
      to: { path: `^src/${room}/` },
    },
  ];
};

const backends = ["memory", "sqlite", "etcd"];
const backend = (name) => ({
  name: `backend-${name}`,
  severity: "error",
  comment: "A storage backend knows the contract only, never another backend.",
  from: { path: `^src/storage/${name}/` },
  to: { path: backends.filter((b) => b !== name).map((b) => `^src/storage/${b}/`) },
});

// The folders of app/, the lowest first: a folder may import those before it. Tests may start a whole server.
const appFolders = [
  "options",
  "process",
  "files",
  "memory",
  "logs",
  "encryption",
  "storage",
  "certificates",
  "authentication",
  "authorization",
  "console",
  "audit",
  "tracing",
  "csi",
  "node",
  "start",
  "envtest",
  "program",
];
const appFolder = (name, i) => ({
  name: `app-ladder-${name}`,
  severity: "error",
  comment: `src/app/${name}/ stands on ${appFolders.slice(0, i).join(", ") || "nothing"}; it may not look up the ladder.`,
  from: { path: `^src/app/${name}/`, pathNot: TESTS },
  to: { path: "^src/app/", pathNot: appFolders.slice(0, i + 1).map((folder) => `^src/app/${folder}/`) },
});
// What lies beside the folders is the door for programs; another folder has to be given its place first.
const appRoot = {
  name: "app-ladder-root",
  severity: "error",
  comment:
    "src/app/ holds index.ts and the folders of the ladder: put the file into one, or give the folder its place.",
  from: { path: "^src/app/", pathNot: ["^src/app/index\\.ts$", ...appFolders.map((folder) => `^src/app/${folder}/`)] },
  to: {},
};

// The browser's side, the lowest folder first; `views/` has a folder for each view. What stands beside the folders puts it together.
const consoleFolders = ["api", "state", "ui", "editor", "shell", "views"];
const CONSOLE_MAY = ["meta", "value", "util", "client"];
// Pure rules that views share with controllers and commands, so that both say the same.
const CONSOLE_RULES = [
  "claims/",
  "workloads/cronjob/next.ts",
  "explore/contract/",
  "explore/(strict|names|finding-value).ts",
  "explore/perturbations/",
  "explore/report/kinds.ts",
];
const consoleRules = [
  {
    name: "console-src",
    severity: "error",
    comment: `The console may import only: ${CONSOLE_MAY.join(", ")} of src/. Move the shared part down.`,
    from: { path: "^console/src/", pathNot: TESTS },
    to: {
      path: "^src/",
      pathNot: [...CONSOLE_MAY.map((name) => `^src/${name}/`), ...CONSOLE_RULES.map((name) => `^src/${name}`)],
    },
  },
  ...consoleFolders.map((name, i) => ({
    name: `console-ladder-${name}`,
    severity: "error",
    comment: `console/src/${name}/ stands on ${consoleFolders.slice(0, i).join(", ") || "nothing"}; move the shared part down, or pass it in.`,
    from: { path: `^console/src/${name}/`, pathNot: TESTS },
    to: { path: "^console/src/", pathNot: consoleFolders.slice(0, i + 1).map((folder) => `^console/src/${folder}/`) },
  })),
  {
    name: "console-views",
    severity: "error",
    comment: "A view knows no other view: what two of them need stands in ui/ or state/.",
    from: { path: "^console/src/views/([^/]+)/" },
    to: { path: "^console/src/views/", pathNot: "^console/src/views/$1/" },
  },
  {
    name: "console-without-node",
    severity: "error",
    comment: "The console runs in a browser.",
    from: { path: "^console/src/", pathNot: TESTS },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "console-stays-outside",
    severity: "error",
    comment: "The server knows the files of the console only.",
    from: { path: "^src/" },
    to: { path: "^console/" },
  },
];

const IO = "^(node:)?(fs|net|http|https|http2|tls|worker_threads|child_process|sqlite|dgram|dns|readline)(/|$)";

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Split the file, or move the shared part down.",
      from: {},
      to: { circular: true },
    },
    ...Object.entries(rooms).map(room),
    ...Object.entries(besideTests).map(roomTests),
    ...Object.entries(ladders).flatMap(ladder),
    ...backends.map(backend),
    {
      name: "registry-knows-no-backend",
      severity: "error",
      comment: "The registry speaks the storage contract; which backend it is, only app/ and testing/ know.",
      from: {
        path: "^src/(registry|cache|cluster)/",
        pathNot: TESTS,
      },
      to: { path: "^src/storage/(memory|sqlite|etcd)/" },
    },
    {
      name: "io-stays-outside",
      severity: "error",
      comment:
        "Sockets, files and processes live in the storage backends, server/, cli/, app/, the client's transport, the files that a client or a user names, short paths of sockets, and in what a test asks of the kit.",
      from: {
        path: "^src/",
        pathNot: [
          "^src/(grpc|storage/(sqlite|etcd)|hooks|server|csi|drivers|node|cli|app)/",
          "^src/client/(transport|kubeconfig/|manifests\\.ts)",
          "^src/util/(socket-path|read-text-file)\\.ts$",
          "^src/testing/(endpoint|run-command)\\.ts$",
          "^src/testing/explore/(version|laboratory|pool|laboratory-thread|programs-process)\\.ts$",
          "^src/testing/explore/(csi/(proxy|proxied-programs)|wasm/(build|program))\\.ts$",
          ...TESTS,
        ],
      },
      to: { path: IO },
    },
    {
      name: "not-to-tests",
      severity: "error",
      comment: "Code that ships does not import tests or test helpers.",
      from: { path: "^src/", pathNot: TESTS },
      to: { path: [...TESTS, "^test/"] },
    },
    ...appFolders.map(appFolder),
    appRoot,
    ...consoleRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
  },
};
