import type { Story } from "../story.ts";
import { CONFIG_MAP, claim, configMap, withUnknown } from "./manifests.ts";

/** Commands that make, change and remove objects. */
export const WRITING: readonly Story[] = [
  {
    name: "create -f",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP, out: /^configmap\/web created\n$/ },
      {
        run: "create -f -",
        stdin: CONFIG_MAP,
        code: 1,
        err: '(AlreadyExists): error when creating "STDIN": configmaps "web" already exists',
      },
      {
        run: "create -f -",
        stdin: withUnknown("x"),
        code: 1,
        err: /unknown field "colour"/,
      },
      {
        run: "create -f - --validate=ignore",
        stdin: withUnknown("x"),
        out: "configmap/x created",
      },
      {
        run: "create -f -",
        stdin: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"y"},"data":{"a":{}}}',
        code: 1,
      },
      {
        run: "create -f -",
        stdin: configMap("Not_A_Name"),
        code: 1,
        err: 'The ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value',
      },
      { run: "create -f - --dry-run=server -o name", stdin: configMap("dry"), out: "configmap/dry" },
      { run: "create -f - --dry-run=client -o name", stdin: configMap("dry"), out: "configmap/dry" },
      { run: "get cm dry", code: 1, err: "NotFound" },
      { run: "create -f {files}", out: ["configmap/one created", "configmap/two created"] },
      { run: "create --raw /api/v1/namespaces/{ns}/configmaps -f {files}/raw.txt", out: '"name":"raw"' },
    ],
    files: { "one.yaml": configMap("one"), "two.json": configMap("two"), "raw.txt": configMap("raw") },
  },
  {
    name: "create configmap|secret|namespace|serviceaccount",
    steps: [
      { run: "create configmap c --from-literal=a=1 --from-file={files}/text", out: "configmap/c created" },
      { run: "get cm c -o 'jsonpath={.data}'", out: '{"a":"1","text":"hello"}' },
      { run: "create configmap c", code: 1, err: 'configmaps "c" already exists' },
      { run: "create secret generic s --from-literal=p=geheim", out: "secret/s created" },
      { run: "get secret s -o 'jsonpath={.type} {.data.p}'", out: /^Opaque Z2VoZWlt$/ },
      { run: "create secret docker-registry d --docker-server=example.com --docker-username=u --docker-password=p" },
      { run: "get secret d -o 'jsonpath={.type}'", out: "dockerconfigjson" },
      { run: "create secret tls t --cert={files}/nosuch --key={files}/nosuch", code: 1 },
      { run: "create namespace {ns}-more", out: "namespace/{ns}-more created" },
      { run: "delete namespace {ns}-more", out: 'namespace "{ns}-more" deleted' },
      { run: "create serviceaccount robot", out: "serviceaccount/robot created" },
      { run: "create service clusterip front --tcp=80:8080", out: "service/front created" },
    ],
    files: { text: "hello" },
  },
  {
    name: "create token",
    steps: [
      { run: "create serviceaccount robot" },
      { run: "create token robot", out: /^[\w-]+\.[\w-]+\.[\w-]+\n?$/ },
      { run: "create token robot --duration=15m --audience=a -o 'jsonpath={.spec.expirationSeconds}'", out: "900" },
      { run: "create token nobody", code: 1, err: 'serviceaccounts "nobody" not found' },
    ],
  },
  {
    name: "edit",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      {
        run: "edit cm web",
        env: { KUBE_EDITOR: "sed -i 's/colour: red/colour: green/'" },
        out: "configmap/web edited",
      },
      { run: "get cm web -o 'jsonpath={.data.colour}'", out: /^green$/ },
      { run: "edit cm web", env: { KUBE_EDITOR: "true" }, err: "Edit cancelled, no changes made" },
      { run: "create -f -", stdin: claim("c") },
      { run: "edit pvc c", env: { KUBE_EDITOR: "sed -i 's/name: c$/name: c\\n  labels: {a: b}/'" }, out: "edited" },
      { run: "get pvc c -o 'jsonpath={.metadata.labels.a}'", out: /^b$/ },
    ],
  },
  {
    name: "patch --type=strategic|merge|json, --subresource",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: `patch cm web -p '{"data":{"colour":"blue"}}'`, out: "configmap/web patched" },
      { run: `patch cm web -p '{"data":{"colour":"blue"}}'`, out: "configmap/web patched (no change)" },
      { run: `patch cm web --type=merge -p '{"data":{"size":null}}'`, out: "patched" },
      { run: `patch cm web --type=json -p '[{"op":"add","path":"/data/m","value":"x"}]'`, out: "patched" },
      { run: "get cm web -o 'jsonpath={.data}'", out: /^{"colour":"blue","m":"x"}$/ },
      { run: `patch cm web --type=json -p '[{"op":"test","path":"/data/m","value":"y"}]'`, code: 1, err: "/data/m" },
      { run: `patch cm web -p '{"data":5}'`, code: 1 },
      { run: "create -f -", stdin: claim("c") },
      {
        run: `patch pvc c --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Resizing","status":"True"}]}}'`,
        out: "patched",
      },
      { run: "get pvc c -o 'jsonpath={.status.conditions[0].type}'", out: "Resizing" },
    ],
  },
  {
    name: "label, annotate",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "label cm web tier=front", out: "configmap/web labeled" },
      { run: "label cm web tier=back", code: 1, err: "--overwrite is false" },
      { run: "label cm web tier=back --overwrite", out: "labeled" },
      { run: "get cm -l tier=back -o name", out: "configmap/web" },
      { run: "label cm web tier-", out: "unlabeled" },
      { run: "label cm --all all=1", out: "configmap/web labeled" },
      { run: "label cm web 'bad=not a value'", code: 1, err: /nvalid/ },
      { run: "annotate cm web example.com/note=hello", out: "configmap/web annotate" },
      { run: "annotate cm web example.com/note-", out: "configmap/web annotate" },
      { run: "annotate cm web a=b --resource-version=1", code: 1, err: /\(Conflict\)/ },
    ],
  },
  {
    name: "replace, replace --force",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "replace -f -", stdin: configMap("web", { colour: "black" }), out: "configmap/web replaced" },
      { run: "get cm web -o 'jsonpath={.data}'", out: /^{"colour":"black"}$/ },
      { run: "replace -f -", stdin: configMap("nosuch"), code: 1, err: "NotFound" },
      { run: "replace --force -f {files}/web.yaml", out: ['configmap "web" deleted', "configmap/web replaced"] },
      { run: "get cm web -o 'jsonpath={.data}'", out: /^{"colour":"white"}$/ },
    ],
    files: { "web.yaml": configMap("web", { colour: "white" }) },
  },
  {
    name: "delete (-f, -l, --all, --dry-run)",
    steps: [
      {
        run: "create -f -",
        stdin: configMap("a", {}, { app: "x" }) + configMap("b", {}, { app: "x" }),
      },
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "delete cm web --dry-run=server", out: /configmap "web" deleted .*\(server dry run\)/ },
      { run: "delete cm web", out: 'configmap "web" deleted' },
      { run: "delete cm web", code: 1, err: '(NotFound): configmaps "web" not found' },
      { run: "delete cm web --ignore-not-found" },
      { run: "delete cm -l app=x", out: ['"a" deleted', '"b" deleted'] },
      { run: "create -f {files}/web.yaml" },
      { run: "delete -f {files}/web.yaml --now", out: '"web" deleted' },
      { run: "create -f {files}/web.yaml" },
      { run: "delete cm --all --wait=false", out: '"web" deleted' },
      { run: "get cm web", code: 1, err: "NotFound" },
    ],
    files: { "web.yaml": CONFIG_MAP },
  },
  {
    name: "delete of an object with a finalizer waits",
    steps: [
      {
        run: "create -f -",
        stdin: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.com/hold"]}}',
      },
      { run: "delete cm held --timeout=1s", code: 1, err: "timed out waiting for the condition" },
      { run: "delete cm held", beside: true, watches: true, out: '"held" deleted' },
      { run: `patch cm held --type=merge -p '{"metadata":{"finalizers":null}}'` },
    ],
  },
  {
    name: "wait --for=jsonpath",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      {
        run: "wait cm/web '--for=jsonpath={.data.done}=yes' --timeout=20s",
        beside: true,
        watches: true,
        out: "configmap/web condition met",
      },
      { run: `patch cm web -p '{"data":{"done":"yes"}}'` },
      { run: "wait cm/web '--for=jsonpath={.data.colour}=black' --timeout=1s", code: 1, err: "timed out waiting" },
    ],
  },
  {
    name: "wait --for=condition",
    steps: [
      { run: "create -f -", stdin: claim("c") },
      { run: "wait pvc/c --for=condition=Resizing --timeout=20s", beside: true, watches: true, out: "condition met" },
      {
        run: `patch pvc c --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Resizing","status":"True"}]}}'`,
      },
    ],
  },
  {
    name: "wait --for=delete",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "wait cm/web --for=delete --timeout=20s", beside: true, watches: true, out: "configmap/web" },
      { run: "delete cm web" },
    ],
  },
  {
    name: "wait with watch lists (WatchListClient)",
    since: 32,
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      {
        run: "wait cm/web '--for=jsonpath={.data.done}=yes' --timeout=20s",
        env: { KUBE_FEATURE_WatchListClient: "true" },
        beside: true,
        watches: true,
        out: "configmap/web condition met",
      },
      { run: `patch cm web -p '{"data":{"done":"yes"}}'` },
    ],
  },
  {
    name: "wait --for=create",
    since: 31,
    steps: [
      { run: "wait cm/late --for=create --timeout=20s", beside: true, out: "configmap/late condition met" },
      { run: "create -f -", stdin: configMap("late") },
    ],
  },
];
