import type { Story } from "../story.ts";
import { CONFIG_MAP, claim, configMap, manifest, storageClass } from "./manifests.ts";

const TWO = `${configMap("a", { k: "1" }, { app: "x", tier: "front" })}${configMap("b", { k: "2" }, { app: "x" })}`;

const ADMISSION = "admissionregistration.k8s.io/v1";

/** A policy that no binding refers to, and webhooks without rules: they decide about no request. */
const IDLE_ADMISSION = [
  manifest({
    apiVersion: ADMISSION,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "{ns}" },
    spec: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] }],
      },
      validations: [{ expression: "params.data.a == object.data.a" }],
    },
  }),
  manifest({
    apiVersion: ADMISSION,
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "{ns}" },
    webhooks: ["a.example.com", "b.example.com"].map((name) => ({
      name,
      clientConfig: { service: { namespace: "default", name: "hook" } },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    })),
  }),
].join("");

/** Commands that read objects. */
export const READING: readonly Story[] = [
  {
    name: "get and explain policies and webhooks of admission",
    steps: [
      { run: "create -f -", stdin: IDLE_ADMISSION },
      {
        run: "get validatingadmissionpolicy {ns}",
        out: /^NAME\s+VALIDATIONS\s+PARAMKIND\s+AGE\n\S+\s+1\s+v1\/ConfigMap\s+\d+s\n$/,
      },
      { run: "get mutatingwebhookconfiguration {ns}", out: /^NAME\s+WEBHOOKS\s+AGE\n\S+\s+2\s+\d+s\n$/ },
      { run: "get api-extensions -o name", out: "mutatingwebhookconfiguration.admissionregistration.k8s.io/{ns}" },
      { run: "explain mutatingwebhookconfiguration.webhooks.reinvocationPolicy", out: "IfNeeded" },
      { run: "delete validatingadmissionpolicy,mutatingwebhookconfiguration {ns}", out: "deleted" },
    ],
  },
  {
    name: "get (table, -o wide, -A, --show-labels)",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "get configmap web", out: /^NAME\s+DATA\s+AGE\nweb\s+2\s+\d+s\n$/ },
      { run: "get cm/web -o wide", out: /web\s+2\s+\d+s/ },
      { run: "get cm -A", out: "{ns}" },
      { run: "get cm --show-labels", out: /web\s+2\s+\d+s\s+app=web/ },
      { run: "get cm -L app", out: /AGE\s+APP\n[\s\S]*web .* web\n/ },
      { run: "get cm --no-headers", out: /^web\s+2/m },
      { run: "get cm nosuch", code: 1, err: 'Error from server (NotFound): configmaps "nosuch" not found' },
      { run: "get cm nosuch --ignore-not-found", out: /^$/ },
      { run: "get nosuch", code: 1, err: `the server doesn't have a resource type "nosuch"` },
      { run: "get secret", err: "No resources found in {ns} namespace." },
    ],
  },
  {
    name: "get -o yaml|json|name|jsonpath|go-template|custom-columns",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "get cm web -o yaml", out: ["kind: ConfigMap", "colour: red", "namespace: {ns}"] },
      { run: "get cm -l app -o json", out: ['"kind": "List"', '"colour": "red"'] },
      { run: "get cm web -o name", out: /^configmap\/web\n$/ },
      { run: "get cm web -o 'jsonpath={.data.colour} {.data.size}'", out: /^red 3$/ },
      { run: "get cm web -o 'go-template={{.data.colour}}'", out: /^red$/ },
      { run: "get cm web -o custom-columns=N:.metadata.name,C:.data.colour", out: /^N\s+C\nweb\s+red\n$/ },
      { run: "get cm web -o yaml --show-managed-fields", out: ["managedFields:", "manager: kubectl-create"] },
      { run: "get cm web --server-print=false", out: /NAME\s+AGE\nweb\s+\d+s/ },
      { run: "get -f {files}/web.yaml -o name", out: "configmap/web" },
    ],
    files: { "web.yaml": CONFIG_MAP },
  },
  {
    name: "get -l, --field-selector, --sort-by",
    steps: [
      { run: "create -f -", stdin: TWO },
      { run: "get cm -l app=x,tier!=front -o name", out: /^configmap\/b\n$/ },
      { run: "get cm -l 'tier in (front,back)' -o name", out: /^configmap\/a\n$/ },
      { run: "get cm --field-selector metadata.name=b -o name", out: /^configmap\/b\n$/ },
      { run: "get cm -l app=x --sort-by=.data.k", out: /a .*\nb / },
      {
        run: "get cm --field-selector data.k=1",
        code: 1,
        err: "data.k",
      },
    ],
  },
  {
    name: "get --chunk-size",
    steps: [
      { run: "create -f -", stdin: TWO },
      { run: "get cm -l app=x --chunk-size=1 -o name", out: /^configmap\/a\nconfigmap\/b\n$/ },
      { run: "get cm -l app=x --chunk-size=1", out: /^NAME .*\na .*\nb .*\n$/ },
      { run: "get cm -l app=x --chunk-size=1 -o json", out: [/"name": "a"/, /"name": "b"/] },
    ],
  },
  {
    name: "get --subresource=status",
    steps: [
      { run: "create -f -", stdin: claim("c") },
      { run: "get pvc c --subresource=status -o 'jsonpath={.status.phase}'", out: /^Pending$/ },
      { run: "get cm kube-root --subresource=status", code: 1, err: "NotFound" },
    ],
  },
  {
    name: "get -w, --output-watch-events",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "get cm -w -l app!=none", beside: true, watches: true, until: /web\s+2 .*\nlate\s+0 [\s\S]*web\s+3 / },
      { run: "get cm -w --watch-only -o name", beside: true, watches: true, until: /configmap\/late\n/ },
      {
        run: "get cm web -w --output-watch-events",
        beside: true,
        watches: true,
        until: /ADDED\s+web[\s\S]*MODIFIED\s+web[\s\S]*DELETED\s+web/,
      },
      { run: "create configmap late" },
      { run: `patch cm web -p '{"data":{"more":"1"}}'` },
      { run: "delete cm web" },
    ],
  },
  {
    name: "get all",
    steps: [
      { run: "create service clusterip front --tcp=80:8080" },
      { run: "get all", out: /service\/front\s+ClusterIP/ },
    ],
  },
  {
    name: "get --raw",
    steps: [
      { run: "get --raw /api/v1/namespaces/{ns}", out: '"kind":"Namespace"' },
      { run: "get --raw '/readyz?verbose'", out: "readyz check passed" },
      { run: "get --raw /openapi/v2", out: '"swagger":"2.0"' },
      { run: "get --raw /nosuch", code: 1, err: "NotFound" },
    ],
  },
  {
    name: "describe",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      { run: "describe cm web", out: [/Name:\s+web/, "colour:\n----\nred"] },
      { run: "describe cm we", out: /Name:\s+web/ },
      { run: "describe namespace {ns}", out: [/Name:\s+/, "Active"] },
      { run: "create -f -", stdin: storageClass() },
      { run: "describe storageclass.storage.{domain} {ns}", out: [/Name:\s+/, /Provisioner:\s+example.com\/p/] },
      { run: "create -f -", stdin: claim("c") },
      { run: "describe pvc c", out: [/Status:\s+Pending/, /Capacity:/] },
      { run: "create secret generic s --from-literal=a=bcd" },
      { run: "describe secret s", out: /a:\s+3 bytes/ },
      { run: "describe cm nosuch", code: 1, err: "NotFound" },
      { run: "delete storageclass.storage.{domain} {ns}" },
    ],
  },
  {
    name: "events, get events, describe with events",
    steps: [
      { run: "create -f -", stdin: CONFIG_MAP },
      {
        run: "create -f -",
        stdin: `apiVersion: v1
kind: Event
metadata: {name: painted, namespace: '{ns}'}
involvedObject: {kind: ConfigMap, apiVersion: v1, name: web, namespace: '{ns}'}
reason: Painted
message: it is black now
type: Normal
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
source: {component: test}
`,
      },
      { run: "events", out: /Normal\s+Painted\s+ConfigMap\/web\s+it is black now/ },
      { run: "events --for=configmap/web", out: "Painted" },
      { run: "events --for=configmap/other", err: "No events found" },
      { run: "events --types=Warning", err: "No events found" },
      { run: "get events", out: /LAST SEEN\s+TYPE\s+REASON\s+OBJECT\s+MESSAGE\n.*Painted\s+configmap\/web/ },
      { run: "get events --field-selector involvedObject.name=web,reason=Painted -o name", out: "event/painted" },
      { run: "get events --sort-by=.lastTimestamp", out: "Painted" },
    ],
  },
];
