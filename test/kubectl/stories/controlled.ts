/**
 * What people see with kubectl of the work of controllers.
 *
 * @module
 */
import type { Story } from "../story.ts";

const VOLUME = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: '{ns}'}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: '{ns}'
  hostPath: {path: /data}
  persistentVolumeReclaimPolicy: Retain
`;

const CLAIM = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: '{ns}'
  resources: {requests: {storage: 1Gi}}
`;

const held = (...finalizers: readonly string[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", finalizers } });
const GOING = "/api/v1/namespaces/{ns}-going/configmaps";

/** See the head of this file. */
export const CONTROLLED: readonly Story[] = [
  {
    name: "wait --for=jsonpath, describe and events of a claim and its volume",
    steps: [
      { run: "create -f -", stdin: CLAIM },
      { run: "wait pvc/disk '--for=jsonpath={.status.phase}=Pending' --timeout=20s", out: "condition met" },
      { run: "get pvc disk", out: /disk\s+Pending/ },
      { run: "get pvc disk -w", beside: true, watches: true, until: /disk\s+Pending[\s\S]*disk\s+Bound/ },
      { run: "create -f -", stdin: VOLUME },
      { run: "wait pvc/disk '--for=jsonpath={.status.phase}=Bound' --timeout=20s", out: "condition met" },
      { run: "get pvc disk", out: /disk\s+Bound\s+\S+\s+1Gi\s+RWO/ },
      {
        run: "describe pvc disk",
        out: [/Status:\s+Bound/, /Capacity:\s+1Gi/, /Warning\s+ProvisioningFailed\s.*persistentvolume-controller/],
      },
      { run: "describe pv {ns}", out: [/Status:\s+Bound/, /Claim:\s+\S+\/disk/, /Reclaim Policy:\s+Retain/] },
      { run: "events --for=persistentvolumeclaim/disk --types=Warning", out: "ProvisioningFailed" },
      { run: "get events --field-selector involvedObject.kind=PersistentVolumeClaim", out: "ProvisioningFailed" },
      { run: "delete pvc disk", out: "deleted" },
      { run: "wait pv/{ns} '--for=jsonpath={.status.phase}=Released' --timeout=20s", out: "condition met" },
      { run: "delete pv {ns}", out: "deleted" },
    ],
  },
  {
    name: "describe and wait of a namespace that is held",
    steps: [
      { run: "create namespace {ns}-going" },
      { run: `create --raw ${GOING} -f -`, stdin: held("example.com/hold") },
      { run: "delete namespace {ns}-going --wait=false" },
      {
        run: "wait namespace/{ns}-going --for=condition=NamespaceFinalizersRemaining --timeout=20s",
        out: "condition met",
      },
      {
        run: "describe namespace {ns}-going",
        out: [/Status:\s+Terminating/, /NamespaceContentRemaining\s+True/, "example.com/hold"],
      },
      { run: `replace --raw ${GOING}/held -f -`, stdin: held() },
      { run: "wait namespace/{ns}-going --for=delete --timeout=60s" },
      { run: "get namespace {ns}-going", code: 1, err: "NotFound" },
    ],
  },
];
