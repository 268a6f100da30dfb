import type { Story } from "../story.ts";
import { manifest } from "./manifests.ts";

const containers = [{ name: "c", image: "example.com/c:1" }];
const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers } };

const workload = (kind: string, spec: object = {}): string =>
  manifest({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "x" },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  });

/** Commands about workloads: what kubectl does with objects alone. */
export const WORKLOADS: readonly Story[] = [
  {
    name: "create deployment, scale, get",
    steps: [
      { run: "create deployment x --image=example.com/c:1 --replicas=2 --port=80", out: "deployment.apps/x created" },
      { run: "get deploy x", out: [/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE/, /x +0\/2 +0 +0/] },
      { run: "get deploy x -o wide", out: [/CONTAINERS +IMAGES +SELECTOR/, /c +example.com\/c:1 +app=x/] },
      { run: "scale deployment/x --replicas=5 --current-replicas=2", out: "deployment.apps/x scaled" },
      { run: "scale deployment/x --replicas=6 --current-replicas=2", code: 1, err: "Expected replicas to be 2, was 5" },
      { run: "get deploy x -o 'jsonpath={.spec.replicas} {.metadata.generation}'", out: /^5 2$/ },
      { run: "get deploy x --subresource=scale -o 'jsonpath={.spec.replicas} {.status.selector}'", out: /^5 app=x$/ },
    ],
  },
  {
    name: "set image, rollout restart, pause, resume, history",
    steps: [
      { run: "create -f -", stdin: workload("Deployment") },
      { run: "set image deployment/x c=example.com/c:2", out: "deployment.apps/x image updated" },
      { run: "set resources deployment/x --limits=cpu=200m,memory=1Gi", out: "resource requirements updated" },
      { run: "set env deployment/x A=b", out: "env updated" },
      { run: "rollout restart deployment/x", out: "deployment.apps/x restarted" },
      { run: "rollout pause deployment/x", out: "deployment.apps/x paused" },
      { run: "rollout resume deployment/x", out: "deployment.apps/x resumed" },
      { run: "rollout history deployment/x", out: "deployment.apps/x" },
      { run: "get deploy x -o 'jsonpath={.spec.template.spec.containers[0].image}'", out: /^example.com\/c:2$/ },
      { run: "rollout status deployment/x --timeout=1s", code: 1, err: /timed out|timeout/i },
    ],
  },
  {
    name: "create job, create cronjob",
    steps: [
      { run: "create job x --image=example.com/c:1", out: "job.batch/x created" },
      { run: "get job x", out: [/^NAME +STATUS +COMPLETIONS +DURATION +AGE/, /x +Running +0\/1/] },
      { run: "get job x -o wide", out: /SELECTOR/ },
      { run: "wait job/x --for=condition=complete --timeout=1s", code: 1, err: "timed out" },
      { run: "delete job x", out: "deleted" },
      { run: "create cronjob x --image=example.com/c:1 --schedule='0 3 * * *'", out: "cronjob.batch/x created" },
      { run: "create job y --from=cronjob/x", out: "job.batch/y created" },
      {
        run: "get cronjob x",
        out: [/^NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE/, /x +0 3 \* \* \* +<none> +False +0/],
      },
    ],
  },
  {
    name: "apply, diff, edit of workloads",
    steps: [
      { run: "apply -f -", stdin: workload("StatefulSet", { serviceName: "s" }), out: "statefulset.apps/x created" },
      { run: "apply -f -", stdin: workload("StatefulSet", { serviceName: "s" }), out: "statefulset.apps/x unchanged" },
      {
        run: "apply -f -",
        stdin: workload("StatefulSet", { serviceName: "other" }),
        code: 1,
        err: /spec: Forbidden/,
      },
      { run: "apply --server-side -f -", stdin: workload("DaemonSet"), out: "daemonset.apps/x serverside-applied" },
      { run: "apply --server-side -f -", stdin: workload("ReplicaSet"), out: "replicaset.apps/x serverside-applied" },
      { run: "get sts,ds,rs", out: ["statefulset.apps/x", "daemonset.apps/x", "replicaset.apps/x"] },
      { run: "get all", out: ["statefulset.apps/x", "daemonset.apps/x", "replicaset.apps/x"] },
      { run: "explain deployment.spec.strategy.rollingUpdate", out: ["maxSurge", "maxUnavailable"] },
      { run: "delete sts,ds,rs --all", out: "deleted" },
    ],
  },
];
