import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { inOrder } from "./apply-order.ts";
import { type Manifest, readManifests } from "./manifests.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-manifests-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const named = (kind: string, name: string, apiVersion = "v1"): Manifest => ({ apiVersion, kind, metadata: { name } });
const names = (source: string | Manifest): string[] =>
  readManifests(source).map(({ manifest }) => `${manifest.kind} ${manifest.metadata.name}`);

describe("readManifests", () => {
  test("a file has several documents; empty ones and comments are none", () => {
    const path = file(
      "two.yaml",
      "---\n# nothing\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n--- # b\napiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n",
    );
    expect(names(path)).toEqual(["ConfigMap a", "Secret b"]);
    expect(readManifests(path)[1]!.from).toBe(`${path}, document 4`);
  });

  test("a folder is read by name with what is below it, manifests only", () => {
    const yaml = (name: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
    file("tree/b.yml", yaml("b"));
    file("tree/a/deep.json", yaml('"deep"'));
    file("tree/c.yaml", yaml("c"));
    file("tree/notes.md", "# no manifest");
    file("tree/kustomization.yaml", "resources: [c.yaml]");
    expect(names(join(folder, "tree"))).toEqual(["ConfigMap deep", "ConfigMap b", "ConfigMap c"]);
  });

  test("a text with a line break is YAML itself, a list is its items, an object is itself", () => {
    const list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n";
    expect(names(list)).toEqual(["Pod p"]);
    expect(names(named("Node", "n"))).toEqual(["Node n"]);
  });

  test("YAML is read as the server reads it: `yes` is true, a large number keeps its digits", () => {
    const [found] = readManifests(
      "apiVersion: v1\nkind: K\nmetadata: {name: x}\nspec: {flag: yes, bytes: 9007199254740993}\n",
    );
    expect(JSON.stringify(found!.manifest["spec"])).toBe('{"flag":true,"bytes":9007199254740993}');
  });

  test.each([
    ["kind: ConfigMap\nmetadata: {name: a}\n", "expected the text to have a text as apiVersion, got nothing"],
    ["apiVersion: v1\nkind: K\nmetadata: {}\n", "expected the text to have a text as metadata.name, got nothing"],
    ["apiVersion: v1\nkind: K\n---\n- 1\n", "expected the text, document 1 to have a text as metadata.name"],
    ["a: b\n---\n- 1\n", "expected the text, document 1 to have a text as apiVersion"],
    ["a: [\n", "expected the text to be YAML or JSON: "],
    ["kind: A\nkind: B\n", "expected each field of the text once, got kind again"],
  ])("%j is refused with where it stands", (text, message) => {
    expect(() => readManifests(text)).toThrow(message);
  });

  test("a missing path is reported in full, and so is a folder without manifests", () => {
    expect(() => readManifests("missing.yaml")).toThrow(`found nothing at ${join(process.cwd(), "missing.yaml")}`);
    file("empty/notes.md", "# no manifest");
    expect(() => readManifests(join(folder, "empty"))).toThrow(
      /expected \.yaml, \.yml, \.json files in .*empty, found none/,
    );
  });

  test.skipIf(process.platform === "win32")(
    "a device and a pipe are refused, also in a folder: they may have no end",
    () => {
      expect(() => readManifests("/dev/zero")).toThrow("expected a file or a folder at /dev/zero, found a device");
      mkdirSync(join(folder, "pipes"));
      execFileSync("mkfifo", [join(folder, "pipes/a.yaml")]);
      expect(() => readManifests(join(folder, "pipes"))).toThrow(/expected a file at .*pipes\/a\.yaml, found a pipe/);
      expect(() => readManifests(join(folder, "pipes/a.yaml"))).toThrow("found a pipe: write it to a file first");
    },
  );

  test("JSON of one line is a text; the items of a typed list are of its kind", () => {
    expect(names(JSON.stringify(named("Node", "n")))).toEqual(["Node n"]);
    const list = {
      apiVersion: "v1",
      kind: "ConfigMapList",
      items: [{ metadata: { name: "a" } }, named("Secret", "b")],
    };
    expect(names(JSON.stringify(list))).toEqual(["ConfigMap a", "Secret b"]);
  });
});

test("what others need is applied first, webhooks last, the rest as it was given", () => {
  const given = [
    named("ValidatingWebhookConfiguration", "w", "admissionregistration.k8s.io/v1"),
    named("Widget", "z", "example.com/v1"),
    named("Pod", "p"),
    named("RoleBinding", "rb", "rbac.authorization.k8s.io/v1"),
    named("Role", "r", "rbac.authorization.k8s.io/v1"),
    named("Secret", "s"),
    named("ConfigMap", "c"),
    named("ServiceAccount", "sa"),
    named("StorageClass", "sc", "storage.k8s.io/v1"),
    named("CustomResourceDefinition", "crd", "apiextensions.k8s.io/v1"),
    named("Namespace", "ns"),
  ];
  const ordered = inOrder(given.map((manifest) => ({ manifest, from: "" }))).map((f) => f.manifest.metadata.name);
  expect(ordered).toEqual(["ns", "crd", "sc", "sa", "s", "c", "r", "rb", "z", "p", "w"]);
});
