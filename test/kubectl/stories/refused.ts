import type { Story } from "../story.ts";
import { manifest } from "./manifests.ts";

const POD = manifest({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "example.com/c" }] },
});

/** Commands of what a service without machines does not do: they fail at once, and say what is missing. */
export const REFUSED: readonly Story[] = [
  {
    name: "logs, exec, attach, port-forward, cp",
    steps: [
      { run: "create -f -", stdin: POD },
      { run: "logs p", out: /^$/ },
      { run: "logs p -c other", code: 1, err: "container other is not valid for pod p" },
      { run: "exec -n {ns} p -- true", code: 1, err: "pod p does not have a host assigned" },
      { run: "attach p", code: 1 },
      { run: "port-forward p 8080", code: 1 },
    ],
  },
  {
    name: "top",
    steps: [
      { run: "top pod", code: 1, err: "Metrics API not available" },
      { run: "top node", code: 1, err: "Metrics API not available" },
    ],
  },
  {
    name: "kinds that are not there",
    steps: [
      {
        run: "get storageversion x",
        code: 1,
        err: `the server doesn't have a resource type "storageversion"`,
      },
      {
        run: "create -f -",
        stdin: manifest({
          apiVersion: "internal.apiserver.k8s.io/v1alpha1",
          kind: "StorageVersion",
          metadata: { name: "x" },
        }),
        code: 1,
        err: 'no matches for kind "StorageVersion" in version "internal.apiserver.k8s.io/v1alpha1"',
      },
    ],
  },
];
