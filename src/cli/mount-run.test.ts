import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../util/clock.ts";
import type { Actions } from "./actions.ts";
import { type MountRequest, runMount } from "./mount-run.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-mount-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const file = (text: string): string => {
  const path = join(folder, `${files++}.yaml`);
  writeFileSync(path, text);
  return path;
};

/** Runs the command; where it fails, `failed` says why. */
async function mount(request: Partial<MountRequest>, input = "") {
  const printed: string[] = [];
  const told: string[] = [];
  const directory = request.directory ?? join(folder, `out-${files++}`);
  const terminal = {
    input: Readable.from([Buffer.from(input)]),
    env: {},
    tell: (text: string) => void told.push(text),
  };
  const actions = { print: (text: string) => void printed.push(text), terminal, clock: systemClock };
  const failed = await runMount(actions as unknown as Actions, { directory, files: [], ...request }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  const read = (path: string): string => readFileSync(join(directory, path), "utf8");
  return {
    directory,
    failed,
    printed: printed.map((path) => path.slice(directory.length + 1)),
    told: told.join(""),
    read,
  };
}

const OBJECTS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Secret, metadata: {name: key, namespace: default}, data: {a: QQ==}, stringData: {b: B}}
  - {apiVersion: v1, kind: Secret, metadata: {name: key, namespace: other}, data: {a: WA==}}
`;

const podWith = (volumes: string, more = ""): string => `
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers: [{name: c, image: i, resources: {limits: {cpu: 500m}}}]
  ${more}
  volumes:
${volumes.replaceAll(/^/gm, "    ")}
`;

const POD = podWith(`- {name: settings, configMap: {name: settings}}
- {name: key, secret: {secretName: key, defaultMode: 0400}}
- {name: scratch, emptyDir: {}}
- name: about
  projected:
    sources:
      - downwardAPI:
          items:
            - {path: labels, fieldRef: {fieldPath: metadata.labels}}
            - {path: cpu, resourceFieldRef: {containerName: c, resource: requests.cpu, divisor: 1m}}
- {name: data, persistentVolumeClaim: {claimName: data}}`);

test("volumes are written as on a node, from several files; volumes that need a node are reported", async () => {
  const { directory, failed, printed, told, read } = await mount({ files: [file(POD), file(OBJECTS)] });
  expect(failed).toBeUndefined();
  expect(printed).toEqual(["settings", "key", "scratch", "about"]);
  expect(told).toBe("data is left out: only a node can make a volume of persistentVolumeClaim\n");
  expect([read("settings/mode"), read("key/a"), read("key/b"), read("about/labels"), read("about/cpu")]).toEqual([
    "fast",
    "A",
    "B",
    'app="web"',
    "500",
  ]);
  expect(readlinkSync(join(directory, "settings/mode"))).toBe("..data/mode");
  expect(statSync(join(directory, "key/a")).mode & 0o777).toBe(0o400);
  expect(statSync(join(directory, "scratch")).mode & 0o777).toBe(0o777);
});

test("reads standard input, and a second run updates the directory", async () => {
  const { directory, read } = await mount({ files: [file(POD), "-"] }, OBJECTS);
  expect(read("settings/mode")).toBe("fast");
  await mount({ directory, files: [file(POD), "-"] }, OBJECTS.replace("{mode: fast}", "{speed: slow}"));
  expect([read("settings/speed"), existsSync(join(directory, "settings/mode"))]).toEqual(["slow", false]);
});

test("missing objects are reported for each volume, and other volumes are written", async () => {
  const { failed, printed } = await mount({ files: [file(POD)] });
  expect(failed).toBe(
    [
      'volume settings is not written: configMap "settings": not found',
      'volume key is not written: secret "key": not found',
      "No server was used: name one with --kubeconfig, or add the missing objects with -f.",
    ].join("\n"),
  );
  expect(printed).toEqual(["scratch", "about"]);
});

const CREDENTIALS = podWith(`- name: v
  projected:
    sources:
      - serviceAccountToken: {path: token, audience: vault}
      - podCertificate: {signerName: example.com/s, keyType: ED25519, credentialBundlePath: bundle.pem}`);

test("tokens and certificates are placeholders only with --placeholders", async () => {
  const { failed } = await mount({ files: [file(CREDENTIALS)] });
  expect(failed).toContain('serviceAccountToken "token": a token comes from a server (--kubeconfig); --placeholders');
  expect(failed).toContain("podCertificate of example.com/s: a certificate is issued to the node");
  const { read } = await mount({ files: [file(CREDENTIALS)], placeholders: true });
  expect(read("v/token")).toBe("placeholder: a token of default for vault\n");
  expect(read("v/bundle.pem")).toBe(
    "placeholder: a key for a certificate of example.com/s\nplaceholder: a certificate of example.com/s\n",
  );
});

test("missing limits of a container are those of --allocatable; without it a warning is printed", async () => {
  const pod = podWith(
    `- {name: v, downwardAPI: {items: [{path: m, resourceFieldRef: {containerName: c, resource: limits.memory, divisor: 1Mi}}]}}`,
  );
  const { told, read } = await mount({ files: [file(pod)] });
  expect([read("v/m"), told]).toEqual([
    "0",
    "limits that a container does not have are written as 0: name the resources of the node with --allocatable\n",
  ]);
  const known = await mount({ files: [file(pod)], allocatable: ["memory=8Gi"] });
  expect([known.read("v/m"), known.told]).toEqual(["8192", ""]);
  expect((await mount({ files: [file(pod)], allocatable: ["memory"] })).failed).toContain(
    "expected --allocatable RESOURCE=AMOUNT",
  );
});

test("--pod chooses one of several Pods", async () => {
  const two = file(`${POD}---${POD.replace("name: web", "name: other")}`);
  expect((await mount({ files: [two, file(OBJECTS)] })).failed).toBe(
    "expected one Pod in the files, found web, other: choose one with --pod",
  );
  expect((await mount({ files: [two, file(OBJECTS)], pod: "other" })).failed).toBeUndefined();
  expect((await mount({ files: [two], pod: "x" })).failed).toBe("expected a Pod x in the files");
  expect((await mount({ files: [file(OBJECTS)] })).failed).toBe("expected a Pod in the files");
});

test("objects of other namespaces are not used", async () => {
  const { read } = await mount({
    files: [file(podWith("- {name: key, secret: {secretName: key}}")), file(OBJECTS)],
    namespace: "other",
  });
  expect(read("key/a")).toBe("X");
});

test.each([
  ["../x", "expected the name of a volume"],
  ["a/b", "expected the name of a volume"],
  ["", "expected the name of a volume"],
])("a volume named %j is refused", async (name, why) => {
  const { failed } = await mount({ files: [file(podWith(`- {name: "${name}", emptyDir: {}}`))] });
  expect(failed).toContain(why);
});

test.each([
  ["a: [", "to be YAML or JSON"],
  ["- a", "expected an object in"],
  ["kind: Pod", "expected an object with kind and metadata.name"],
])("a file with %j is refused", async (text, why) => {
  expect((await mount({ files: [file(text)] })).failed).toContain(why);
});

test.runIf(process.getuid?.() === 0)("volumes have the group of the Pod", async () => {
  const pod = podWith(
    "- {name: settings, configMap: {name: settings}}\n- {name: scratch, emptyDir: {}}",
    "securityContext: {fsGroup: 4711}",
  );
  const { directory } = await mount({ files: [file(pod), file(OBJECTS)] });
  for (const path of ["settings/mode", "scratch"]) expect(statSync(join(directory, path)).gid).toBe(4711);
});
