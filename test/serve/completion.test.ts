import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONFIG_MAPS, EXECUTABLE, Http2Client, Keelson, Scratch, configMap, run } from "./keelson.ts";

const scratch = new Scratch();
const directory = scratch.fresh();
const env = { KUBECONFIG: `${directory}/admin.kubeconfig` };
let keelson: Keelson;

beforeAll(async () => {
  keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--dialect", "kubernetes"]);
  const client = await Http2Client.connect(keelson, directory);
  for (const name of ["web", "web-2", "other"]) await client.send("POST", CONFIG_MAPS, configMap(name));
  client.close();
});
afterAll(async () => {
  await keelson.stop();
  scratch.remove();
});

describe("complete asks the server", () => {
  const completed = async (...words: string[]): Promise<string> =>
    (await run(["complete", "--", ...words], { env })).stdout.trimEnd();

  test.each([
    ["kinds", ["blame", "config"], "configmaps"],
    ["kinds of a name that two groups have", ["history", "event"], "events\nevents.events.k8s.io"],
    ["names", ["blame", "cm", "we"], "web\nweb-2"],
    ["names beside their kind", ["diff", "cm/we"], "cm/web\ncm/web-2"],
    ["names in another namespace", ["blame", "-n", "kube-system", "cm", "we"], ""],
    ["namespaces", ["blame", "-n", "kube-s"], "kube-system"],
    ["contexts", ["blame", "--context", ""], "keelson"],
    ["nothing of a kind that is not there", ["blame", "flowers", ""], ""],
  ])("%s", async (_, words, expected) => {
    expect(await completed(...words)).toBe(expected);
  });

  test("and waits no longer than a user who types", async () => {
    const silent = net.createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as net.AddressInfo;
    const kubeconfig = `${scratch.path}/silent.kubeconfig`;
    const cluster = `{ name: c, cluster: { server: "http://127.0.0.1:${port}" } }`;
    const context = "{ name: c, context: { cluster: c } }";
    writeFileSync(kubeconfig, `current-context: c\ncontexts: [${context}]\nclusters: [${cluster}]\n`);
    const asked = await run(["complete", "--", "blame", ""], { env: { KUBECONFIG: kubeconfig } });
    expect(asked).toMatchObject({ code: 0, stdout: "", stderr: "" });
    silent.close();
  });
});

test("bash completes with the script", async () => {
  const { stdout: script } = await run(["completion", "bash"]);
  const words = `COMP_WORDS=(${EXECUTABLE} blame cm we); COMP_CWORD=3; _keelson; printf '%s ' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", `${script}\n${words}`], {
    env: { ...env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` },
  });
  expect(stdout).toBe("web web-2 ");
});

describe("version --server", () => {
  test("tells the version of the server, too", async () => {
    const { stdout } = await run(["version", "--server"], { env });
    expect(stdout).toMatch(/^keelson \d+\.\d+\.\d+\nserver {2}v1\.\d+\.\d+\+keelson\.\d+\.\d+\.\d+\n$/);
    const known = JSON.parse((await run(["version", "--server", "-o", "json"], { env })).stdout) as object;
    expect(known).toMatchObject({ node: process.version, server: { major: "1", compiler: "v8" } });
  });

  test("fails where no server answers, and prints nothing", async () => {
    const { code, stdout, stderr } = await run(["version", "--server", "--kubeconfig", "/no/such/file"], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("/no/such/file");
  });
});
