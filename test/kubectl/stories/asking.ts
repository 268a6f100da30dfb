import type { Story } from "../story.ts";

/** Commands that request information about the server and about the user. */
export const ASKING: readonly Story[] = [
  {
    name: "explain (fields, --recursive, --api-version)",
    steps: [
      { run: "explain configmap", out: [/KIND:\s+ConfigMap/, /VERSION:\s+v1/, "binaryData"] },
      { run: "explain configmap.data", out: /FIELD:\s+data <map\[string\]string>/ },
      { run: "explain pvc.spec.resources.requests", out: /requests <map\[string\]Quantity>/ },
      { run: "explain service.spec.ports.targetPort", out: /targetPort <IntOrString>/ },
      { run: "explain persistentvolume.spec.csi", out: /driver\s+<string> -required-/ },
      { run: "explain storageclass", out: [/GROUP:\s+storage\.{domain}/, "provisioner"] },
      { run: "explain lease --recursive", out: "holderIdentity" },
      { run: "explain storageclass --api-version=storage.{domain}/v1", out: "StorageClass" },
      { run: "explain configmap.nosuch", code: 1, err: `field "nosuch" does not exist` },
      { run: "explain nosuch", code: 1, err: /resource type "nosuch"/ },
    ],
  },
  {
    name: "explain --output=plaintext-openapiv2",
    steps: [
      { run: "explain pvc.spec --output=plaintext-openapiv2", out: [/KIND:\s+PersistentVolumeClaim/, "accessModes"] },
    ],
  },
  {
    name: "api-resources",
    steps: [
      {
        run: "api-resources",
        out: [/configmaps\s+cm\s+v1\s+true\s+ConfigMap/, /storageclasses\s+sc\s+storage\./, /leases\s+coordination\./],
      },
      { run: "api-resources -o wide", out: /configmaps .*(create|get),/ },
      { run: "api-resources --namespaced=false -o name", out: /^namespaces$/m },
      { run: "api-resources --api-group=storage.{domain} --verbs=list -o name", out: "csidrivers.storage.{domain}" },
      { run: "api-resources --categories=all -o name", out: /^services$/m },
      { run: "api-resources --cached", out: "ConfigMap" },
    ],
  },
  { name: "api-versions", steps: [{ run: "api-versions", out: [/^v1$/m, "storage.{domain}/v1", /^events\./m] }] },
  {
    name: "auth can-i",
    steps: [
      { run: "auth can-i create configmaps", out: /^yes\n$/ },
      { run: "auth can-i '*' '*' --all-namespaces", out: /^yes\n$/ },
      { run: "auth can-i get pvc/c --subresource=status", out: /^yes\n$/ },
      { run: "auth can-i get /healthz", out: /^yes\n$/ },
    ],
  },
  { name: "auth can-i --list", steps: [{ run: "auth can-i --list", out: /\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/ }] },
  {
    name: "auth whoami",
    since: 28,
    steps: [
      { run: "auth whoami", out: [/Username\s+\S+/, "system:masters"] },
      { run: "auth whoami -o json", out: '"kind": "SelfSubjectReview"' },
    ],
  },
  {
    name: "version",
    steps: [
      { run: "version -o json", out: ['"serverVersion"', '"gitVersion"'] },
      { run: "version", out: /Server Version: .*v1\.\d+\.\d+\+keelson/ },
    ],
  },
  {
    name: "cluster-info",
    steps: [{ run: "cluster-info", out: /Kubernetes control plane.* is running at/ }],
  },
  {
    name: "proxy",
    steps: [{ run: "proxy --port=0", beside: true, fetch: ["/api/v1/namespaces/{ns}", '"kind":"Namespace"'] }],
  },
];
