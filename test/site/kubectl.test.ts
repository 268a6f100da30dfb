/**
 * The small kubectl of the pages beside the real one: the same commands against one server, each in a namespace of its own, print
 * the same.
 *
 * What differs from run to run is taken for equal: times, ages, uids, versions, names that were made up. Both streams are compared,
 * and the exit codes.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubectl } from "../../site/src/kubectl/kubectl.ts";
import type { Edit, Files } from "../../site/src/shell/shell.ts";
import { type Transport, nodeTransport } from "../../src/client/index.ts";
import { type Cluster, type Endpoint, createCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { Kubectl, findKubectls } from "../kubectl/kubectl.ts";

const binary = findKubectls().at(-1);

const FILES: Readonly<Record<string, string>> = {
  "web.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { colour: red }
`,
  "two.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: one, labels: { app: shop } }
data: { a: "1" }
---
apiVersion: v1
kind: Secret
metadata: { name: two }
stringData: { b: "2" }
`,
  "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: shop, image: "shop:1" }] }
`,
  "wrong.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: Wrong }
data: { a: 1 }
`,
  "drained.yaml": `apiVersion: v1
kind: Pod
metadata: { name: bare, labels: { drain: "yes", local: "no" } }
spec: { nodeName: node-1, containers: [{ name: main, image: "web:1" }] }
---
apiVersion: v1
kind: Pod
metadata: { name: local, labels: { drain: "yes" } }
spec: { nodeName: node-1, containers: [{ name: main, image: "web:1" }], volumes: [{ name: v, emptyDir: {} }] }
`,
  "unknown.yaml": `apiVersion: example.com/v1
kind: Thing
metadata: { name: a }
`,
};

/** Commands in their order. What a command waits for has happened by then. */
const COMMANDS: readonly string[] = [
  "get configmaps web",
  "apply -f web.yaml",
  "apply -f web.yaml",
  "get configmap web",
  "get cm/web -o yaml",
  "get cm web -o json",
  "get cm web -o name",
  "get cm web -o jsonpath={.data.colour}",
  `get cm -o jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}`,
  "get cm -o custom-columns=NAME:.metadata.name,COLOUR:.data.colour",
  "get cm web --no-headers --show-labels",
  "label cm web app=shop",
  "label cm web app=shop",
  "label cm web app=other",
  "label cm web app=other --overwrite",
  "get cm -l app=other -L app",
  "label cm web app-",
  "annotate cm web note=hello",
  'patch cm web --patch {"data":{"colour":"green"}}',
  'patch cm web --type=merge --patch {"data":{"colour":"green"}}',
  'patch cm web --type=json -p [{"op":"replace","path":"/data/colour","value":"blue"}]',
  "apply --server-side -f two.yaml",
  "apply --server-side --field-manager=other -f two.yaml",
  "get cm,secrets",
  "get secret two -o jsonpath={.data.b}",
  "create configmap web",
  "create configmap Web_1",
  "create configmap made --from-literal=a=b --from-literal=c=d",
  "create configmap made --from-literal=a=b --dry-run=client -o yaml",
  "create secret generic s --from-literal=a=b",
  "create namespace Not_1",
  "create deployment drawn --image=web:1 --replicas=0 --dry-run=client -o yaml",
  "create quota team --hard=configmaps=20,requests.storage=10Gi",
  "create serviceaccount robot",
  "create role reader --verb=get,list --resource=pods",
  "create rolebinding reads --role=reader --user=eve",
  "create job once --image=busybox --dry-run=client -o yaml",
  "apply -f deployment.yaml",
  "wait --for=condition=Available deployment/shop --timeout=60s",
  "rollout status deployment/shop",
  "get deployments",
  "get deployment shop -o wide",
  "scale deployment shop --replicas=1",
  "wait --for=jsonpath={.status.replicas}=1 deployment/shop --timeout=60s",
  "get pods -o name",
  "exec deployment/shop -- echo hello",
  "exec deployment/shop -- cat /missing",
  "exec deployment/shop -c nothing -- echo hello",
  "exec missing -- echo hello",
  "exec deployment/shop",
  "logs deployment/shop",
  "logs missing",
  "edit cm web",
  "edit cm/web",
  "get cm web -o yaml",
  "edit cm missing",
  "edit deployment shop",
  "set image deployment/shop shop=shop:2",
  "rollout status deployment/shop --timeout=60s",
  "rollout history deployment/shop",
  "rollout undo deployment/shop",
  "rollout restart deployment shop",
  "rollout pause deployment shop",
  "rollout resume deployment shop",
  "expose deployment shop --port=80",
  "get service shop -o jsonpath={.spec.ports[0].targetPort}",
  "apply -f wrong.yaml",
  "apply -f unknown.yaml",
  "apply -f missing.yaml",
  "get nothing",
  "get pods missing",
  "get configmaps missing other",
  "get jobs",
  "frobnicate",
  "get pods --frobnicate",
  "wait --for=condition=Ready pod/missing --timeout=1s",
  "wait --for=condition=Ready cm/web --timeout=1s",
  "taint node node-1 a=b:NoSchedule",
  "taint node node-1 a-",
  "cordon node-1",
  "cordon node-1",
  "uncordon node-1",
  "uncordon node-1",
  "apply -f drained.yaml",
  "wait --for=condition=Ready pod/bare pod/local --timeout=60s",
  "drain missing",
  "drain node-1 --pod-selector=drain=yes",
  "drain node-1 --pod-selector=drain=yes --force",
  "drain node-1 --pod-selector=drain=yes --force --delete-emptydir-data --dry-run=client",
  "drain node-1 --pod-selector=local=no --force",
  "drain node-1 --pod-selector=drain=yes --force --delete-emptydir-data",
  "get pods -l drain=yes",
  "uncordon node-1",
  "auth can-i list pods",
  "explain configmap.data",
  "explain deployment.spec.strategy.rollingUpdate",
  "explain pod.spec.nothing",
  "api-versions",
  "delete cm made --dry-run=server",
  "delete cm made one",
  "delete cm made",
  "delete cm made --ignore-not-found",
  "delete -f web.yaml",
  "delete deployment shop --cascade=foreground",
];

/** What the editor of both does. */
const EDITS = [
  ["colour: .*", "colour: gold"],
  ["progressDeadlineSeconds: 600", "progressDeadlineSeconds: 601"],
] as const;
const KUBE_EDITOR = `sed -i ${EDITS.map(([from, to]) => `-e 's/${from}/${to}/'`).join(" ")}`;
const edit: Edit = ({ text }) =>
  Promise.resolve(EDITS.reduce((edited, [from, to]) => edited.replace(new RegExp(from, "g"), to), text));

/** Both outputs without what is not the same in two runs. */
const alike = (text: string, namespace: string): string =>
  text
    .replaceAll(namespace, "NAMESPACE")
    .replaceAll("node-2", "node-1")
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "UID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/shop-[a-z\d]{6,10}(-[a-z\d]{5})?/g, "shop-NAME")
    .replace(/("?resourceVersion"?: )"\d+"/g, '$1"N"')
    .replace(/\b\d+(?:s|ms|m\d+s)\b/g, "AGE")
    .replace(/10\.\d+\.\d+\.\d+/g, "ADDRESS")
    .replace(/ +$/gm, "")
    .replace(/ {2,}/g, "  ");

/** A command in a namespace; arguments after `--` are those of a container. */
const withNamespace = ([command = "", ...args]: readonly string[], namespace: string): readonly string[] => [
  command,
  `--namespace=${namespace}`,
  ...args,
];

/** What kubectl says only of itself, or only since a later version. */
const said = (text: string): string =>
  text
    // Since kubectl 1.34.
    .replace(/^ *creationTimestamp: null\n/gm, "")
    .replace(/metadata: \{\}$/gm, "metadata:")
    .replace(/( deleted) from \S+ namespace/g, "$1")
    .replace(/^See 'kubectl .*\n/gm, "")
    .replace(/^E\d{4} .*\n/gm, "")
    // What a rollout passes through on its way is a matter of luck.
    .replace(/^Waiting for .*\n/gm, "")
    .replace(
      /^error: unknown command "frobnicate" for "kubectl"\n[^]*/m,
      'error: unknown command "frobnicate" for "kubectl"\n',
    );

describe.skipIf(binary === undefined)("the small kubectl prints what kubectl prints", () => {
  let cluster: Cluster;
  let endpoint: Endpoint;
  let real: Kubectl;
  let transport: Transport;
  const files: Files = {
    read: (path) => FILES[path]?.replaceAll("node-1", "node-2"),
    write: () => {},
    remove: () => false,
    list: () => [],
  };
  beforeAll(async () => {
    cluster = await createCluster({ clock: "system", nodes: 2, rbac: true, admission: { enable: ["ResourceQuota"] } });
    endpoint = await cluster.listen();
    for (const name of ["real", "small"]) {
      // oxlint-disable-next-line no-await-in-loop
      await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    real = new Kubectl(binary!, endpoint.kubeconfig);
    for (const [name, text] of Object.entries(FILES)) real.file(name, text);
    transport = nodeTransport({ url: endpoint.url, ca: endpoint.ca, token: endpoint.token });
  });
  afterAll(() => cluster.close());

  test.each(COMMANDS)("kubectl %s", { timeout: 90_000 }, async (line) => {
    const args = line.match(/(?:\{range.*\{end\}|\S)+/g)!;
    const own = args.map((arg) => (/^\w+\.yaml$/.test(arg) ? `${real.folder}/${arg}` : arg));
    const expected = await real.run(withNamespace(own, "real"), { env: { KUBE_EDITOR } });
    let [out, err] = ["", ""];
    // What concerns nodes is done to another one, since there is one cluster.
    const program = kubectl(transport, systemClock, ({ namespace, pod, container = "" }, { command, stdin = "" }) =>
      cluster.simulation.exec({ namespace, pod, container }, command, { stdin }),
    );
    const code = await program(
      withNamespace(
        args.map((arg) => arg.replace("node-1", "node-2")),
        "small",
      ),
      {
        input: "",
        out: (text) => (out += text),
        err: (text) => (err += text),
        signal: new AbortController().signal,
        shell: { files, variables: new Map(), edit },
      },
    );
    const wanted = {
      out: said(alike(expected.stdout.replaceAll(`${real.folder}/`, ""), "real")),
      err: said(alike(expected.stderr.replaceAll(`${real.folder}/`, ""), "real")),
      code: expected.code,
    };
    expect({ out: said(alike(out, "small")), err: said(alike(err, "small")), code }).toEqual(wanted);
  });
});
