import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

const newest = findKubectls().at(-1);

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, shortNames: [th], categories: [all]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
      schema:
        openAPIV3Schema:
          type: object
          description: A thing of this test.
          properties:
            spec:
              type: object
              properties: {size: {type: integer, default: 1, description: How large it is.}, most: {type: integer}}
              x-kubernetes-validations:
                - {rule: "!has(self.most) || self.size <= self.most", message: it is too large, fieldPath: .size}
            status: {type: object, properties: {size: {type: integer}}}
`;

const thing = (spec: string): string =>
  `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, namespace: default}, spec: ${spec}}`;

describe.skipIf(!newest).each(["neutral", "kubernetes"] as const)("kubectl and kinds of one's own, %s", (dialect) => {
  const dataDir = mkdtempSync(join(tmpdir(), "keelson-things-"));
  let server: RunningServer;
  let kubectl: Kubectl;
  const start = async (): Promise<void> => {
    server = await startServer({ dataDir, port: 0, dialect });
    kubectl = new Kubectl(newest!, server.kubeconfig);
  };
  beforeAll(start);
  afterAll(async () => {
    await server.close();
    rmSync(dataDir, { recursive: true });
  });

  test("CRD-2: apply a definition, wait for it, and use the kind", async () => {
    await kubectl.manifest(DEFINITION, "apply");
    const wait = ["wait", "--for", "condition=established", "crd/things.example.com", "--timeout", "10s"];
    // Where it comes before the first condition is written, kubectl takes none for an error, as it does at a real server.
    await expect.poll(() => kubectl.run(wait), { timeout: 10_000 }).toMatchObject({ code: 0, stderr: "" });
    await kubectl.manifest(thing("{size: 2, most: 3}"), "apply");
    expect(await kubectl.ok("get", "th")).toMatch(/NAME\s+SIZE\na\s+2/);
    expect(await kubectl.ok("get", "all")).toContain("thing.example.com/a");
    expect(await kubectl.ok("api-resources", "--api-group", "example.com")).toMatch(
      /things\s+th\s+example.com\/v1\s+true\s+Thing/,
    );
  });

  test("CRD-31: explain prints the members with their descriptions", async () => {
    expect(await kubectl.ok("explain", "thing")).toContain("A thing of this test.");
    expect(await kubectl.ok("explain", "thing.spec.size")).toMatch(/FIELD: size <integer>[^]*How large it is\./);
  });

  test("CRD-31: explain prints all members of a kind at once", async () => {
    const text = await kubectl.ok("explain", "thing", "--recursive");
    expect(text).toMatch(/KIND: +Thing/);
    expect(text).toMatch(/spec\t<Object>\n +most\t<integer>\n +size\t<integer>/);
    expect(text).toMatch(/status\t<Object>\n +size\t<integer>/);
  });

  test("diff shows what an apply would change, with defaults, and changes nothing", async () => {
    const before = await kubectl.ok("get", "thing/a", "-o", "yaml");
    const larger = kubectl.file("larger.yaml", thing("{most: 5}"));
    const { code, stdout } = await kubectl.run(["diff", "-f", larger]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/-\s+most: 3\n-\s+size: 2\n\+\s+most: 5\n\+\s+size: 1\n/);
    expect((await kubectl.run(["diff", "--server-side", "--force-conflicts", "-f", larger])).stdout).toContain(
      "most: 5",
    );
    expect(await kubectl.run(["diff", "-f", kubectl.file("same.yaml", thing("{size: 2, most: 3}"))])).toMatchObject({
      code: 0,
      stdout: "",
    });
    const refused = await kubectl.run(["diff", "-f", kubectl.file("refused.yaml", thing("{size: 9, most: 3}"))]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("it is too large") });
    expect(await kubectl.ok("get", "thing/a", "-o", "yaml")).toBe(before);
  });

  test("edit changes an object, and shows what a rule says until it is put right", async () => {
    const edit = (script: string) => {
      const editor = kubectl.file("editor.sh", `#!/bin/sh\n${script}\n`);
      return kubectl.run(["edit", "thing/a"], { env: { KUBE_EDITOR: `sh ${editor}`, TMPDIR: kubectl.folder } });
    };
    const size = (from: number, to: number): string => `sed -i "s/size: ${from}/size: ${to}/" "$1"`;
    expect(await edit(size(2, 3))).toEqual({ code: 0, stdout: "thing.example.com/a edited\n", stderr: "" });
    expect(await kubectl.ok("get", "thing/a", "-o", "jsonpath={.spec.size}")).toBe("3");
    expect((await edit("true")).stderr).toContain("Edit cancelled, no changes made");
    const corrected = `grep -q "^# . spec.size: .*it is too large" "$1" && ${size(9, 1)} || ${size(3, 9)}`;
    expect(await edit(corrected)).toMatchObject({ code: 0, stdout: "thing.example.com/a edited\n" });
    expect(await kubectl.ok("get", "thing/a", "-o", "jsonpath={.spec.size}")).toBe("1");
  });

  test("CEL-40, CEL-42: what a rule says is what people read", async () => {
    const file = kubectl.file("large.yaml", thing("{size: 9, most: 3}"));
    expect(await kubectl.fails("apply", "-f", file)).toContain("spec.size: Invalid value: it is too large");
  });

  test("CRD-35, CRD-36: scale, a patch and a server-side apply", async () => {
    await kubectl.ok("scale", "thing/a", "--replicas", "3");
    expect(await kubectl.ok("get", "thing", "a", "-o", "jsonpath={.spec.size}")).toBe("3");
    await kubectl.ok(
      "patch",
      "thing",
      "a",
      "--type",
      "merge",
      "-p",
      '{"status":{"size":3}}',
      "--subresource",
      "status",
    );
    expect(await kubectl.ok("get", "thing/a", "-o", "jsonpath={.status.size}")).toBe("3");
    const file = kubectl.file("one.yaml", thing("{size: 1}"));
    expect(await kubectl.fails("apply", "--server-side", "-f", file)).toContain("conflict");
    await kubectl.ok("apply", "--server-side", "--force-conflicts", "-f", file);
    expect(await kubectl.ok("get", "thing/a", "-o", "jsonpath={.spec.size}")).toBe("1");
  });

  test("CRD-2: what is defined is served from the first request after a restart", async () => {
    await server.close();
    await start();
    expect(await kubectl.ok("get", "thing/a", "-o", "jsonpath={.spec.size}")).toBe("1");
  });

  test("CRD-12: with the definition go its objects", async () => {
    await kubectl.ok("delete", "crd/things.example.com", "--timeout", "20s");
    expect(await kubectl.fails("get", "things.example.com")).toMatch(/the server (doesn't have|could not find)/);
    expect(await kubectl.ok("get", "crd")).not.toContain("things");
  });
});
