import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { DIALECTS } from "../serve/keelson.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

const newest = findKubectls().at(-1);
if (!newest) console.log("kubectl tests are skipped: there is no kubectl on the path");

const CONFIG_MAP = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  labels:
    app: web
data:
  colour: red
  size: "3"
`;

describe.skipIf(!newest).each(DIALECTS)("kubectl and the %s dialect", (dialect) => {
  let server: RunningServer;
  let kubectl: Kubectl;
  const domain = dialect === "neutral" ? "svc.io" : "k8s.io";

  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect });
    kubectl = new Kubectl(newest!, server.kubeconfig);
    await kubectl.manifest("{apiVersion: v1, kind: Namespace, metadata: {name: team}}", "create");
  });
  afterAll(() => server.close());

  test("create -f makes an object and a second create is refused", async () => {
    expect(await kubectl.manifest(CONFIG_MAP, "create")).toContain("configmap/web created");
    const file = kubectl.file("web.yaml", CONFIG_MAP);
    expect(await kubectl.fails("create", "-f", file)).toContain("AlreadyExists");
  });

  test("create -f refuses unknown fields by name", async () => {
    const file = kubectl.file("bad.yaml", `${CONFIG_MAP.replace("name: web", "name: bad")}colour: blue\n`);
    expect(await kubectl.fails("create", "-f", file)).toContain('unknown field "colour"');
  });

  test("get prints tables, plain and wide", async () => {
    expect(await kubectl.ok("get", "configmap", "web")).toMatch(/NAME\s+DATA\s+AGE\nweb\s+2\s+\d+s/);
    expect(await kubectl.ok("get", "configmap", "web", "-o", "wide")).toMatch(/web\s+2\s+\d+s/);
    expect(await kubectl.ok("get", "configmap", "-A", "--show-labels")).toMatch(/default\s+web\s+2\s+\d+s\s+app=web/);
  });

  test("get prints yaml, json, jsonpath, names and custom columns", async () => {
    expect(await kubectl.ok("get", "configmap", "web", "-o", "yaml")).toContain("colour: red");
    const read = JSON.parse(await kubectl.ok("get", "configmap", "web", "-o", "json")) as { data: unknown };
    expect(read.data).toEqual({ colour: "red", size: "3" });
    expect(await kubectl.ok("get", "configmap", "web", "-o", "jsonpath={.data.colour}")).toBe("red");
    expect(await kubectl.ok("get", "configmap", "web", "-o", "name")).toBe("configmap/web\n");
    const columns = "custom-columns=N:.metadata.name,C:.data.colour";
    expect(await kubectl.ok("get", "configmap", "web", "-o", columns)).toMatch(/N\s+C\nweb\s+red/);
  });

  test("get selects by label and by field, sorts and pages", async () => {
    for (const name of ["b", "a", "c"]) {
      await kubectl.manifest(
        CONFIG_MAP.replace("name: web", `name: ${name}`).replace("app: web", "app: many"),
        "create",
        "-n",
        "team",
      );
    }
    const names = ["get", "configmap", "-n", "team", "-o", "name", "-l", "app=many"];
    expect(await kubectl.ok(...names)).toBe("configmap/a\nconfigmap/b\nconfigmap/c\n");
    expect(await kubectl.ok(...names, "--chunk-size=1")).toBe("configmap/a\nconfigmap/b\nconfigmap/c\n");
    expect(await kubectl.ok("get", "configmap", "-n", "team", "-o", "name", "--field-selector=metadata.name=b")).toBe(
      "configmap/b\n",
    );
    expect(await kubectl.ok("get", "configmap", "-n", "team", "-l", "app=many", "--sort-by=.metadata.name")).toMatch(
      /a .*\nb .*\nc /,
    );
  });

  test("get -w shows changes as they happen", async () => {
    const watching = watchFor(
      kubectl,
      ["get", "configmap", "-n", "team", "-w", "--watch-only", "-o", "name"],
      "configmap/seen",
    );
    await watching.started;
    await kubectl.manifest(CONFIG_MAP.replace("name: web", "name: seen"), "create", "-n", "team");
    expect(await watching.found).toContain("configmap/seen");
  });

  test("describe shows the object and its events", async () => {
    const text = await kubectl.ok("describe", "configmap", "web");
    expect(text).toContain("colour:");
    expect(text).toContain("red");
  });

  test("apply creates, changes nothing, changes, and prunes what the file no longer has", async () => {
    const manifest = CONFIG_MAP.replace("name: web", "name: applied");
    expect(await kubectl.manifest(manifest, "apply")).toContain("configmap/applied created");
    expect(await kubectl.manifest(manifest, "apply")).toContain("configmap/applied unchanged");
    const next = manifest.replace("colour: red", "shape: round");
    expect(await kubectl.manifest(next, "apply")).toContain("configmap/applied configured");
    expect(JSON.parse(await kubectl.ok("get", "configmap", "applied", "-o", "jsonpath={.data}"))).toEqual({
      shape: "round",
      size: "3",
    });
  });

  test("diff tells what apply would change", async () => {
    const changed = CONFIG_MAP.replace("name: web", "name: applied").replace("colour: red", "shape: square");
    const { code, stdout } = await kubectl.run(["diff", "-f", "-"], { stdin: changed });
    expect(code).toBe(1);
    expect(stdout).toMatch(/-\s+shape: round[\s\S]*\+\s+shape: square/);
  });

  test("edit changes an object through an editor", async () => {
    const editor = kubectl.file("editor.sh", '#!/bin/sh\nsed -i "s/colour: red/colour: green/" "$1"\n');
    const { code, stderr } = await kubectl.run(["edit", "configmap", "web"], { env: { KUBE_EDITOR: `sh ${editor}` } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(await kubectl.ok("get", "configmap", "web", "-o", "jsonpath={.data.colour}")).toBe("green");
  });

  test("patch takes all three types", async () => {
    await kubectl.ok("patch", "configmap", "web", "-p", '{"data":{"colour":"blue"}}');
    await kubectl.ok("patch", "configmap", "web", "--type=merge", "-p", '{"data":{"size":null}}');
    await kubectl.ok("patch", "configmap", "web", "--type=json", "-p", '[{"op":"add","path":"/data/m","value":"x"}]');
    expect(JSON.parse(await kubectl.ok("get", "configmap", "web", "-o", "jsonpath={.data}"))).toEqual({
      colour: "blue",
      m: "x",
    });
  });

  test("label and annotate change metadata", async () => {
    await kubectl.ok("label", "configmap", "web", "tier=front");
    await kubectl.ok("annotate", "configmap", "web", "example.com/note=hello");
    expect(await kubectl.ok("get", "configmap", "web", "-o", "jsonpath={.metadata.labels.tier}")).toBe("front");
    await kubectl.ok("label", "configmap", "web", "tier-");
    expect(await kubectl.ok("get", "configmap", "web", "-o", "jsonpath={.metadata.labels.tier}")).toBe("");
  });

  test("replace puts a whole object in place of another", async () => {
    const text = await kubectl.ok("get", "configmap", "web", "-o", "yaml");
    expect(await kubectl.manifest(text.replace("colour: blue", "colour: black"), "replace")).toContain(
      "configmap/web replaced",
    );
    expect(await kubectl.ok("get", "configmap", "web", "-o", "jsonpath={.data.colour}")).toBe("black");
  });

  test("wait sees a value arrive, and an object go", async () => {
    const waiting = kubectl.run(["wait", "configmap/web", "--for=jsonpath={.data.done}=yes", "--timeout=20s"]);
    await kubectl.ok("patch", "configmap", "web", "-p", '{"data":{"done":"yes"}}');
    expect((await waiting).code).toBe(0);
    const going = kubectl.run(["wait", "configmap/applied", "--for=delete", "--timeout=20s"]);
    await kubectl.ok("delete", "configmap", "applied");
    expect((await going).code).toBe(0);
  });

  test("explain describes every level from our own schema", async () => {
    expect(await kubectl.ok("explain", "configmap.data")).toMatch(/FIELD: data <map\[string\]string>/);
    expect(await kubectl.ok("explain", "storageclass")).toContain(`GROUP:      storage.${domain}`);
    expect(await kubectl.ok("explain", "persistentvolume.spec.csi")).toMatch(/driver\t<string> -required-/);
  });

  test("api-resources and api-versions list what is served", async () => {
    const text = await kubectl.ok("api-resources", "-o", "wide");
    for (const kind of [
      "ConfigMap",
      "Secret",
      "PersistentVolumeClaim",
      "StorageClass",
      "CSIDriver",
      "Lease",
      "Event",
    ]) {
      expect(text).toContain(kind);
    }
    expect(await kubectl.ok("api-versions")).toContain(`storage.${domain}/v1`);
  });

  test("events lists the events of an object", async () => {
    await kubectl.manifest(
      `apiVersion: v1
kind: Event
metadata: {name: happened, namespace: default}
involvedObject: {kind: ConfigMap, apiVersion: v1, name: web, namespace: default}
reason: Painted
message: it is black now
type: Normal
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
source: {component: test}
`,
      "create",
    );
    expect(await kubectl.ok("events", "--for=configmap/web")).toMatch(
      /Normal\s+Painted\s+ConfigMap\/web\s+it is black now/,
    );
  });

  test("get --raw reads health and any path", async () => {
    expect(await kubectl.ok("get", "--raw", "/readyz?verbose")).toContain("readyz check passed");
    expect(JSON.parse(await kubectl.ok("get", "--raw", "/api/v1/namespaces/default"))).toMatchObject({
      kind: "Namespace",
    });
  });

  test("delete removes and waits", async () => {
    expect(await kubectl.ok("delete", "configmap", "web")).toContain('configmap "web" deleted');
    expect(await kubectl.fails("get", "configmap", "web")).toContain("NotFound");
  });

  test("deleting a namespace removes what is in it, then the namespace", async () => {
    expect(await kubectl.ok("delete", "namespace", "team")).toContain("deleted");
    expect(await kubectl.fails("get", "namespace", "team")).toContain("NotFound");
    const left = JSON.parse(await kubectl.ok("get", "--raw", "/api/v1/namespaces/team/configmaps")) as {
      items: unknown[];
    };
    expect(left.items).toEqual([]);
  });
});

/** Starts a kubectl that keeps printing, and waits for a text in what it prints. */
function watchFor(
  kubectl: Kubectl,
  args: readonly string[],
  wanted: string,
): { started: Promise<void>; found: Promise<string> } {
  const child = spawn(newest!, [...args, "--v=6"], {
    env: { PATH: process.env["PATH"], HOME: `${kubectl.folder}/home`, KUBECONFIG: `${kubectl.folder}/kubeconfig` },
  });
  let out = "";
  const started = new Promise<void>((resolve) => {
    // At this level kubectl tells each request on standard error, so the watch is known to be open.
    child.stderr.on("data", (chunk: Buffer) => {
      if (/watch=true.*200/.test(chunk.toString())) resolve();
    });
  });
  const found = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      if (!out.includes(wanted)) return;
      child.kill();
      resolve(out);
    });
    child.on("exit", () => reject(new Error(`kubectl ended, it printed: ${out}`)));
  });
  return { started, found };
}
