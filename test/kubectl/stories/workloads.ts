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

/** Arguments that write the counts of Pods into the status of a budget. */
const COUNTED = (status: object): string =>
  `--subresource=status --type=merge -p '${JSON.stringify({ status: { observedGeneration: 1, ...status } })}'`;

/** A ReplicaSet that the Deployment `x` with the uid `{uid}` has made for a revision. */
const revision = (number: number, image: string): string => {
  const own = { ...labels, "pod-template-hash": String(number) };
  const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "x", uid: "{uid}", controller: true };
  const annotations = {
    "deployment.kubernetes.io/revision": String(number),
    "kubernetes.io/change-cause": `because of ${number}`,
  };
  return manifest({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: `x-${number}`, labels: own, annotations, ownerReferences: [owner] },
    spec: {
      replicas: 0,
      selector: { matchLabels: own },
      template: { metadata: { labels: own }, spec: { containers: [{ name: "c", image }] } },
    },
  });
};

const READY = { type: "Ready", status: "True" };

/** A node of the story, and on it a Pod that runs and is ready. */
const RUNNING: Story["steps"] = [
  { run: "create -f -", stdin: manifest({ apiVersion: "v1", kind: "Node", metadata: { name: "{ns}-n" } }) },
  {
    run: "create -f -",
    stdin: manifest({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "x", labels },
      spec: { containers, nodeName: "{ns}-n" },
    }),
  },
  {
    run: `patch pod x --subresource=status --type=merge -p '${JSON.stringify({
      status: { phase: "Running", conditions: [READY] },
    })}'`,
    out: "patched",
  },
];

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
    name: "rollout history, undo",
    steps: [
      { run: "create -f -", stdin: workload("Deployment") },
      { run: "annotate deployment x deployment.kubernetes.io/revision=2", out: /annotate/ },
      { run: "get deployment x -o 'jsonpath={.metadata.uid}'", saves: "uid" },
      { run: "create -f -", stdin: revision(1, "example.com/c:old"), out: "replicaset.apps/x-1 created" },
      { run: "create -f -", stdin: revision(2, "example.com/c:1"), out: "replicaset.apps/x-2 created" },
      { run: "rollout history deployment/x", out: [/^1 +because of 1$/m, /^2 +because of 2$/m] },
      { run: "rollout history deployment/x --revision=1", out: "example.com/c:old" },
      { run: "rollout undo deployment/x --to-revision=7", code: 1, err: /unable to find/ },
      { run: "rollout undo deployment/x", out: "deployment.apps/x rolled back" },
      {
        run: "get deploy x -o 'jsonpath={.spec.template.spec.containers[0].image} {.spec.template.metadata.labels}'",
        out: /^example.com\/c:old {"app":"x"}$/,
      },
    ],
  },
  {
    name: "create quota, priorityclass; describe limits",
    steps: [
      { run: "create quota x --hard=pods=2,requests.cpu=1 --scopes=BestEffort", code: 1, err: /scopes|supported/ },
      { run: "create quota x --hard=pods=2,requests.cpu=1", out: "resourcequota/x created" },
      { run: "get quota x", out: /^NAME +(AGE +)?REQUEST/ },
      { run: "describe quota x", out: [/^pods +0 +2|^Resource +Used +Hard/m] },
      {
        run: "create -f -",
        stdin: manifest({
          apiVersion: "v1",
          kind: "LimitRange",
          metadata: { name: "x" },
          spec: { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }] },
        }),
        out: "limitrange/x created",
      },
      { run: "describe limits x", out: [/Container +cpu +- +2 +1 +1 +-/] },
      { run: "create priorityclass {ns} --value=1000 --description=high", out: "created" },
      { run: "get pc {ns}", out: /{ns} +1000 +false/ },
      { run: "delete pc {ns}", out: "deleted" },
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
    name: "create poddisruptionbudget, get pdb",
    steps: [
      {
        run: "create pdb x --selector=app=x --min-available=50%",
        out: "poddisruptionbudget.policy/x created",
      },
      { run: "create poddisruptionbudget y --selector=app=y --max-unavailable=1", out: "created" },
      { run: "create pdb z --selector=app=z --min-available=101%", code: 1, err: "spec.minAvailable" },
      {
        run: "get pdb",
        out: [/^NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE/, /x +50% +N\/A +0 /, /y +N\/A +1 +0 /],
      },
      { run: 'patch pdb x -p \'{"spec":{"selector":{"matchLabels":{"b":"1"}}}}\'', out: "patched" },
      { run: "get pdb x -o 'jsonpath={.spec.selector.matchLabels}'", out: /^{"b":"1"}$/ },
      { run: "delete pdb x y", out: ['"x" deleted', '"y" deleted'] },
    ],
  },
  {
    name: "autoscale, get hpa",
    steps: [
      { run: "create deployment x --image=example.com/c:1", out: "created" },
      {
        run: "autoscale deployment x --min=2 --max=5 --cpu-percent=70",
        out: "horizontalpodautoscaler.autoscaling/x autoscaled",
      },
      {
        run: "get hpa",
        out: [
          /^NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE/,
          /x +Deployment\/x +cpu: <unknown>\/70% +2 +5 +0 /,
        ],
      },
      { run: "get hpa x -o 'jsonpath={.apiVersion} {.spec.metrics[0].type}'", out: /^autoscaling\/v2 Resource$/ },
      {
        run: "get horizontalpodautoscalers.v1.autoscaling x -o 'jsonpath={.apiVersion} {.spec.targetCPUUtilizationPercentage}'",
        out: /^autoscaling\/v1 70$/,
      },
      { run: "autoscale deployment x --min=6 --max=5", code: 1, err: /--max|maxReplicas/ },
      { run: "describe hpa x", out: [/^Reference: +Deployment\/x/m, /^Min replicas: +2/m] },
      { run: "get all", out: "horizontalpodautoscaler.autoscaling/x" },
      { run: "delete hpa x", out: "deleted" },
    ],
  },
  {
    name: "drain of a node, with a budget and without",
    steps: [
      ...RUNNING,
      { run: "create pdb x --selector=app=x --min-available=1", out: "created" },
      // It waits until the Pods are counted.
      { run: `patch pdb x ${COUNTED({ currentHealthy: 1, desiredHealthy: 1 })}`, out: "patched" },
      {
        run: "drain {ns}-n --force --grace-period=0 --timeout=2s",
        code: 1,
        err: /disruption budget/,
      },
      { run: "get node {ns}-n", out: "SchedulingDisabled" },
      { run: "get pod x", out: /x +0\/1 +Running/ },
      { run: `patch pdb x ${COUNTED({ disruptionsAllowed: 1 })}`, out: "patched" },
      {
        run: "drain {ns}-n --force --grace-period=0 --timeout=20s",
        out: ["pod/x evicted", "node/{ns}-n drained"],
      },
      { run: "get pdb x -o 'jsonpath={.status.disruptionsAllowed} {.status.disruptedPods}'", out: /^0 {"x":"/ },
      { run: "uncordon {ns}-n", out: "uncordoned" },
      { run: "delete node {ns}-n", out: "deleted" },
    ],
  },
  {
    name: "drain of a node, without evictions",
    steps: [
      ...RUNNING,
      { run: "create pdb x --selector=app=x --min-available=1", out: "created" },
      {
        run: "drain {ns}-n --force --grace-period=0 --disable-eviction --timeout=20s",
        out: ["pod/x deleted", "node/{ns}-n drained"],
      },
      { run: "delete node {ns}-n", out: "deleted" },
    ],
  },
  {
    name: "apply --prune without a list of kinds",
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
