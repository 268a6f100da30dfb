import { generateKeyPairSync } from "node:crypto";
import { requestBase64 } from "../../../src/pki/testing/requests.ts";
import type { Story } from "../story.ts";

/** A user who may request their own rights, and read ConfigMaps of the story. */
const GRANTED = [
  {
    run: "create role reader --verb=get,list --resource=configmaps",
    out: "role.rbac.authorization.k8s.io/reader created",
  },
  { run: "create rolebinding reader --role=reader --user={ns}-jane", out: "created" },
  {
    run: "create clusterrole {ns}-asker --verb=create --resource=selfsubjectaccessreviews.authorization.k8s.io,selfsubjectrulesreviews.authorization.k8s.io,selfsubjectreviews.authentication.k8s.io",
    out: "created",
  },
  { run: "create clusterrolebinding {ns}-asker --clusterrole={ns}-asker --user={ns}-jane", out: "created" },
  { run: "create configmap web --from-literal=a=b", out: "created" },
];

const CLEANED = [
  { run: "delete clusterrole {ns}-asker", out: "deleted" },
  { run: "delete clusterrolebinding {ns}-asker", out: "deleted" },
];

/** A user requests a certificate. */
const requestOf = (name: string): string =>
  JSON.stringify({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: requestBase64({
        commonName: "jane",
        organizations: ["team"],
        key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
      }),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
      expirationSeconds: 3600,
    },
  });

/** Roles and bindings are made and put right, tokens and certificates given; commands in somebody else's name, and questions about what they may do. */
export const RIGHTS: readonly Story[] = [
  {
    name: "get --as",
    steps: [
      ...GRANTED,
      { run: "get configmap web --as {ns}-jane -o name", out: /^configmap\/web\n$/ },
      {
        run: "get secrets --as {ns}-jane",
        code: 1,
        err: /secrets is forbidden: User "\S+-jane" cannot list resource "secrets"/,
      },
      { run: "delete configmap web --as {ns}-jane", code: 1, err: 'configmaps "web" is forbidden' },
      { run: "get configmap web --as somebody --as-group system:masters -o name", out: /^configmap\/web\n$/ },
      { run: "get configmap web --as-group system:masters", code: 1, err: /./ },
      ...CLEANED,
    ],
  },
  {
    name: "auth can-i --as",
    steps: [
      ...GRANTED,
      { run: "auth can-i get configmaps --as {ns}-jane", out: /^yes\n$/ },
      { run: "auth can-i delete configmaps --as {ns}-jane", code: 1, out: /^no/ },
      { run: "auth can-i get secrets/x --as {ns}-jane", code: 1, out: /^no/ },
      ...CLEANED,
    ],
  },
  {
    name: "auth can-i --list --as",
    steps: [
      ...GRANTED,
      { run: "auth can-i --list --as {ns}-jane", out: [/configmaps\s+\[\]\s+\[\]\s+\[get list\]/] },
      ...CLEANED,
    ],
  },
  {
    name: "auth whoami --as",
    since: 28,
    steps: [
      ...GRANTED,
      {
        run: "auth whoami --as {ns}-jane --as-group team,one --as-group two --as-uid u-1",
        out: [/Username\s+\S+-jane/, /UID\s+u-1/, "[team,one two system:authenticated]"],
      },
      ...CLEANED,
    ],
  },
  {
    name: "create role",
    steps: [
      { run: "create role r --verb=get,list --verb=watch --resource=pods,deployments.apps", out: "r created" },
      {
        run: "get role r -o 'jsonpath={.rules}'",
        out: '[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch"]},{"apiGroups":["apps"],"resources":["deployments"],"verbs":["get","list","watch"]}]',
      },
      { run: "create role s --verb=update --resource=pods/status --resource-name=a --resource-name=b", out: "created" },
      {
        run: "get role s -o 'jsonpath={.rules}'",
        out: '[{"apiGroups":[""],"resourceNames":["a","b"],"resources":["pods/status"],"verbs":["update"]}]',
      },
      {
        run: "describe role s",
        out: [/Name:\s+s/, /pods\/status\s+\[\]\s+\[a\]\s+\[update\]\n\s+pods\/status\s+\[\]\s+\[b\]/],
      },
      { run: "create role t --verb=get --resource=nosuchthings", code: 1, err: /server doesn't have a resource type/ },
      {
        run: "create role r --verb=get --resource=pods",
        code: 1,
        err: 'roles.rbac.authorization.k8s.io "r" already exists',
      },
      {
        run: "create role u --verb=get --resource=pods --dry-run=server -o name",
        out: "role.rbac.authorization.k8s.io/u",
      },
      { run: "get role u", code: 1, err: "NotFound" },
    ],
  },
  {
    name: "create clusterrole",
    steps: [
      { run: "create clusterrole {ns}-r --verb='*' --resource='*.*'", out: "created" },
      {
        run: "get clusterrole {ns}-r -o 'jsonpath={.rules}'",
        out: '[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]',
      },
      { run: "create clusterrole {ns}-u --verb=get --non-resource-url='/logs/*'", out: "created" },
      { run: "describe clusterrole {ns}-u", out: /\[\/logs\/\*\]\s+\[\]\s+\[get\]/ },
      { run: "create clusterrole {ns}-a --aggregation-rule='of={ns}'", out: "created" },
      {
        run: "get clusterrole {ns}-a -o 'jsonpath={.aggregationRule}'",
        out: '{"clusterRoleSelectors":[{"matchLabels":{"of":"{ns}"}}]}',
      },
      { run: "label clusterrole {ns}-u 'of={ns}'", out: "labeled" },
      {
        run: "wait clusterrole/{ns}-a '--for=jsonpath={.rules[0].nonResourceURLs[0]}=/logs/*' --timeout=10s",
        out: "condition met",
      },
      { run: "get clusterrole {ns}-u", out: /NAME\s+CREATED AT\n/ },
      { run: "delete clusterrole {ns}-r {ns}-u {ns}-a", out: "deleted" },
    ],
  },
  {
    name: "create rolebinding, clusterrolebinding",
    steps: [
      {
        run: "create rolebinding b --clusterrole=view --user=jane --group=team --serviceaccount={ns}:robot",
        out: "rolebinding.rbac.authorization.k8s.io/b created",
      },
      { run: "get rolebinding b -o wide", out: /b\s+ClusterRole\/view\s+\S+\s+jane\s+team\s+\S+\/robot/ },
      {
        run: "describe rolebinding b",
        out: [/Kind:\s+ClusterRole/, /User\s+jane/, /Group\s+team/, /ServiceAccount\s+robot\s+{ns}/],
      },
      { run: "set subject rolebinding b --user=joe", out: "subjects updated" },
      { run: "get rolebinding b -o 'jsonpath={.subjects[*].name}'", out: /joe/ },
      { run: "create clusterrolebinding {ns}-b --clusterrole=view --group={ns}", out: "created" },
      { run: "describe clusterrolebinding {ns}-b", out: [/Name:\s+view/, /Group\s+{ns}/] },
      { run: "auth can-i list pods --as x --as-group {ns}", out: /^yes\n$/ },
      { run: "delete clusterrolebinding {ns}-b", out: "deleted" },
      { run: "auth can-i list pods --as x --as-group {ns}", code: 1, out: /^no/ },
    ],
  },
  {
    name: "auth reconcile",
    files: {
      "rights.yaml": `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: "{ns}"}
rules:
  - {apiGroups: [""], resources: [pods], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: r, namespace: "{ns}"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects:
  - {kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}
`,
      "other.yaml": `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: r, namespace: "{ns}"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
  - {kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}
`,
    },
    steps: [
      {
        run: "auth reconcile -f {files}/rights.yaml",
        out: ["role.rbac.authorization.k8s.io/r reconciled", "rolebinding"],
      },
      { run: 'patch role r --type=json -p \'[{"op":"replace","path":"/rules/0/verbs","value":["get","delete"]}]\'' },
      { run: "auth reconcile -f {files}/rights.yaml", err: "missing rules added" },
      { run: "auth can-i list pods --as jane", out: /^yes\n$/ },
      { run: "auth can-i delete pods --as jane", out: /^yes\n$/ },
      {
        run: "auth reconcile -f {files}/rights.yaml --remove-extra-permissions --remove-extra-subjects",
        err: "extra rules removed",
      },
      { run: "auth can-i delete pods --as jane", code: 1, out: /^no/ },
      { run: "auth reconcile -f {files}/other.yaml", err: /recreat/ },
      { run: "auth can-i list services --as jane", out: /^yes\n$/ },
    ],
  },
  {
    name: "create token --bound-object-kind",
    steps: [
      { run: "create serviceaccount robot" },
      { run: "create secret generic held", out: "created" },
      { run: "get secret held -o 'jsonpath={.metadata.uid}'", saves: "uid" },
      {
        run: "create token robot --bound-object-kind=Secret --bound-object-name=held --bound-object-uid={uid} -o 'jsonpath={.spec.boundObjectRef.name} {.spec.boundObjectRef.uid}'",
        out: "held {uid}",
      },
      {
        run: "create token robot --bound-object-kind=Secret --bound-object-name=held --bound-object-uid=other",
        code: 1,
        err: "uid",
      },
      { run: "create token robot --bound-object-kind=Secret --bound-object-name=nosuch", code: 1, err: "nosuch" },
    ],
  },
  {
    name: "certificate approve, deny",
    files: { "request.yaml": requestOf("{ns}-jane"), "second.yaml": requestOf("{ns}-joe") },
    steps: [
      { run: "create -f {files}/request.yaml", out: "created" },
      { run: "create -f {files}/second.yaml", out: "created" },
      { run: "get csr {ns}-jane", out: /kube-apiserver-client\s+\S+\s+60m\s+Pending/ },
      { run: "certificate approve {ns}-jane", out: "{ns}-jane approved" },
      { run: "certificate deny {ns}-joe", out: "{ns}-joe denied" },
      { run: "describe csr {ns}-jane", out: [/Status:\s+Approved/, /Signer:\s+\S+\/kube-apiserver-client/] },
      { run: "get csr {ns}-joe", out: /Denied/ },
      { run: "certificate approve {ns}-joe", code: 1, err: /./ },
      { run: "delete csr {ns}-jane {ns}-joe", out: "deleted" },
    ],
  },
];
