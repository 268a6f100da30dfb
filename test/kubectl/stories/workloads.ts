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
  {
    name: "create service, expose",
    steps: [
      { run: "create service clusterip a --tcp=80:8080", out: "service/a created" },
      { run: "create service nodeport b --tcp=80 --node-port=31999", out: "service/b created" },
      { run: "create service nodeport c --tcp=80 --node-port=31999", code: 1, err: "spec.ports[0].nodePort" },
      { run: "create service externalname d --external-name=a.example.com", out: "service/d created" },
      { run: "create service loadbalancer e --tcp=80", out: "service/e created" },
      {
        run: "get svc",
        out: [/a +ClusterIP +10\.0\.0\.\d+ +<none> +80\/TCP/, /b +NodePort +\S+ +<none> +80:31999\/TCP/],
      },
      { run: "get svc d e", out: [/d +ExternalName +<none> +a.example.com/, /e +LoadBalancer +\S+ +<pending>/] },
      { run: "create deployment x --image=example.com/c:1 --port=80", out: "created" },
      { run: "expose deployment/x --port=80 --target-port=8080", out: "service/x exposed" },
      { run: "get svc x -o 'jsonpath={.spec.selector.app} {.spec.ports[0].targetPort}'", out: /^x 8080$/ },
      { run: "describe svc a", out: [/^IP: +10\.0\.0\.\d+/m, /^Session Affinity: +None/m] },
      { run: "delete svc --all", out: "deleted" },
    ],
  },
  {
    name: "create ingress, apply of what leads to Pods",
    dialect: "kubernetes",
    steps: [
      {
        run: "create ingress x --class=c --rule='a.example.com/p*=s:80,tls=t' --annotation=a=b",
        out: "ingress.networking.k8s.io/x created",
      },
      { run: "get ingress x", out: [/^NAME +CLASS +HOSTS +ADDRESS +PORTS +AGE/, /x +c +a.example.com +80, 443/] },
      { run: "create ingress y --default-backend=s:http", out: "created" },
      { run: "get ing y", out: /y +<none> +\* +80/ },
      {
        run: "apply -f -",
        stdin: manifest({
          apiVersion: "networking.k8s.io/v1",
          kind: "NetworkPolicy",
          metadata: { name: "x" },
          spec: { podSelector: { matchLabels: labels }, egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
        }),
        out: "networkpolicy.networking.k8s.io/x created",
      },
      { run: "get netpol x", out: /x +app=x/ },
      {
        run: "apply --server-side -f -",
        stdin: manifest({
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: { name: "x" },
          addressType: "IPv4",
          endpoints: [{ addresses: ["10.1.1.1"] }],
          ports: [{ port: 80 }],
        }),
        out: "endpointslice.discovery.k8s.io/x serverside-applied",
      },
      { run: "get endpointslice x", out: /x +IPv4 +80 +10.1.1.1/ },
      { run: "explain ingress.spec.rules.http.paths.pathType", out: "Exact" },
    ],
  },
  {
    name: "apply --prune without a list of kinds",
    dialect: "kubernetes",
    steps: [
      {
        run: "apply -l app=x -f -",
        stdin: manifest({
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "x", labels },
          spec: { ports: [{ port: 80 }] },
        }),
        out: "service/x created",
      },
      {
        run: "apply --prune -l app=x -f -",
        stdin: manifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", labels } }),
        out: ["configmap/x created", "service/x pruned"],
      },
    ],
  },
];
