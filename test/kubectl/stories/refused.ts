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
      { run: "logs p", code: 1, err: /could not find the requested resource|not found/i },
      { run: "exec p -- true", code: 1, err: /could not find the requested resource|not found|pod .* not/i },
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
      { run: "get ingress x", code: 1, err: `the server doesn't have a resource type "ingress"` },
      {
        run: "create -f -",
        stdin: manifest({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "x" } }),
        code: 1,
        err: 'no matches for kind "Ingress" in version "networking.k8s.io/v1"',
      },
      {
        run: "create ingress x --rule=a.example.com/=s:80",
        code: 1,
        err: /the server could not find the requested resource/,
      },
    ],
  },
];
