/**
 * kubectl and a server with simulated nodes: workloads roll out, are scaled, looked into and drained, as on a cluster.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

const newest = findKubectls().at(-1);

const PODS = `
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: two}}
spec:
  containers:
    - {name: a, image: a, resources: {requests: {cpu: "1", memory: 1Gi}}}
    - {name: b, image: b}
`;

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: job}]}}}
`;

describe.skipIf(!newest)("kubectl and simulated nodes", { timeout: 120_000 }, () => {
  let server: RunningServer;
  let kubectl: Kubectl;
  const ok = (line: string): Promise<string> => kubectl.ok(...line.split(" "));

  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect: "kubernetes", nodes: "3,zone=a,zone=b" });
    kubectl = new Kubectl(newest!, server.kubeconfig);
  }, 60_000);
  afterAll(() => server?.close());

  const rolledOut = (name: string): Promise<string> => ok(`rollout status deployment/${name} --timeout=20s`);

  test("a deployment rolls out, forward and back; its history says so", async () => {
    await ok("create deployment web --image=web:1 --replicas=3");
    expect(await rolledOut("web")).toContain('deployment "web" successfully rolled out');
    await ok("set image deployment/web web=web:2");
    await rolledOut("web");
    expect(await ok("get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}")).toBe("web:2 web:2 web:2");
    expect(await ok("rollout history deployment/web")).toMatch(/REVISION\s+CHANGE-CAUSE\n1\s+<none>\n2\s+<none>/);
    await ok("rollout undo deployment/web");
    await rolledOut("web");
    expect(await ok("rollout history deployment/web")).toMatch(/\n2\s+<none>\n3\s+<none>/);
    await ok("rollout restart deployment/web");
    await rolledOut("web");
    const described = await ok("describe deployment web");
    expect(described).toMatch(/3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable/);
    expect(described).toMatch(/ScalingReplicaSet\s+\S+\s+deployment-controller\s+Scaled up replica set/);
  });

  test("a paused rollout changes nothing until it is resumed; scaling goes on", async () => {
    await ok("create deployment paused --image=web:1 --replicas=2");
    await rolledOut("paused");
    await ok("rollout pause deployment/paused");
    await ok("set image deployment/paused web=web:2");
    await ok("scale deployment/paused --replicas=3");
    await ok("wait deployment/paused --for=jsonpath={.status.readyReplicas}=3 --timeout=20s");
    const images = "get pods -l app=paused -o jsonpath={.items[*].spec.containers[0].image}";
    expect(await ok(images)).toBe("web:1 web:1 web:1");
    await ok("rollout resume deployment/paused");
    await rolledOut("paused");
    await expect.poll(() => ok(images), { timeout: 20_000 }).toBe("web:2 web:2 web:2");
  });

  test("what is exposed has endpoints, what is autoscaled an autoscaler, and get all shows it", async () => {
    await ok("create deployment shop --image=shop --replicas=2 --port=80");
    await rolledOut("shop");
    await ok("expose deployment/shop");
    await expect
      .poll(
        () =>
          ok("get endpointslices -l kubernetes.io/service-name=shop -o jsonpath={.items[*].endpoints[*].addresses[0]}"),
        {
          timeout: 20_000,
        },
      )
      .toMatch(/^10\.\S+ 10\.\S+$/);
    await ok("autoscale deployment/shop --min=2 --max=5 --cpu-percent=80");
    const all = await ok("get all");
    for (const name of [
      "deployment.apps/shop",
      "replicaset.apps/shop-",
      "pod/shop-",
      "service/shop",
      "horizontalpodautoscaler.autoscaling/shop",
    ]) {
      expect(all).toContain(name);
    }
    expect(await ok("describe hpa shop")).toMatch(/Min replicas:\s+2\nMax replicas:\s+5/);
    expect(await ok("describe rs -l app=shop")).toContain("Created pod: shop-");
  });

  test("commands run in containers, with their exit codes, input and errors", async () => {
    await kubectl.manifest(PODS, "apply");
    await ok("wait pod/two --for=condition=Ready --timeout=20s");
    expect(await ok("exec two -c b -- echo hello world")).toBe("hello world\n");
    const read = await kubectl.run(["exec", "-i", "two", "-c", "a", "--", "cat"], { stdin: "some input" });
    expect(read).toMatchObject({ code: 0, stdout: "some input" });
    expect(await kubectl.run(["exec", "two", "-c", "a", "--", "false"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("command terminated with exit code 1"),
    });
    expect(await kubectl.fails("exec", "two", "-c", "none", "--", "true")).toContain("container none");
    expect(await kubectl.fails("exec", "nobody", "--", "true")).toContain('pods "nobody" not found');
    expect(await kubectl.fails("port-forward", "pod/two", "0:80")).toContain("forwards no ports");
  });

  test("logs are read; one that is followed ends with its container", async () => {
    await ok("run short --image=short --restart=Never --annotations=simulation.keelson.dev/run-for=2s");
    await ok("wait pod/short --for=condition=Ready --timeout=20s");
    const followed = kubectl.start(["logs", "-f", "short"]);
    await ok("wait pod/short --for=jsonpath={.status.phase}=Succeeded --timeout=20s");
    expect((await followed.ended).code).toBe(0);
    expect(await kubectl.fails("logs", "short", "--previous")).toContain("previous terminated container");
    expect(await kubectl.fails("logs", "short", "--tail=-5x")).toContain("invalid");
  });

  test("top has the usage of nodes and Pods", async () => {
    await kubectl.manifest(PODS.replace("name: two", "name: used"), "apply");
    await ok("wait pod/used --for=condition=Ready --timeout=20s");
    expect(await ok("top nodes")).toMatch(/NAME\s+CPU\(cores\)\s+CPU\(?%\)?.*\nnode-1\s+\d+m\s+\d+%/);
    expect(await ok("top pod used --containers")).toMatch(/used\s+a\s+[1-9]\d*m\s+[1-9]\d*Mi/);
    expect(await ok("get apiservices v1beta1.metrics.k8s.io")).toContain("Local");
    expect(await ok("get podmetrics used")).toMatch(/used\s+\S+\s+\S+\s+15s/);
  });

  test("a Job succeeds, and is waited for", async () => {
    await kubectl.manifest(JOB, "apply");
    await ok("wait job/once --for=condition=Complete --timeout=30s");
    expect(await ok("describe job once")).toMatch(/1 Succeeded/);
  });

  test("a node is drained: its Pods go elsewhere, as their budget allows", async () => {
    await ok("create deployment moved --image=web --replicas=3");
    await rolledOut("moved");
    await ok("create pdb moved --selector=app=moved --min-available=2");
    await expect.poll(() => ok("describe pdb moved"), { timeout: 20_000 }).toMatch(/Allowed disruptions:\s+1/);
    await ok("drain node-1 --ignore-daemonsets --force --timeout=40s");
    await rolledOut("moved");
    expect(await ok("get pods -l app=moved -o jsonpath={.items[*].spec.nodeName}")).not.toContain("node-1");
    await ok("uncordon node-1");
  });
});
