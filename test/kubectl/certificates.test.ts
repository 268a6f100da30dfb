import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { requestBase64 } from "../../src/pki/testing/requests.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";

const binary = findKubectls().at(-1);
let server: RunningServer;
let kubectl: Kubectl;

beforeAll(async () => {
  if (binary === undefined) return;
  server = await startServer({ dev: true, port: 0, dialect: "kubernetes", controllers: ["csrsigning"] });
  kubectl = new Kubectl(binary, server.kubeconfig);
});
afterAll(() => server?.close());

/** Runs a command that has to succeed. */
async function run(line: string, stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl.run(line.split(" "), stdin === undefined ? {} : { stdin });
  if (code !== 0) throw new Error(`expected kubectl ${line} to succeed: ${stderr}`);
  return stdout;
}

const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

const requestOf = (name: string): string =>
  JSON.stringify({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: requestBase64({ commonName: "jane", organizations: ["team"], key }),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
      expirationSeconds: 3600,
    },
  });

test.skipIf(binary === undefined)(
  "CERT-10: a certificate that is asked for and approved lets its holder in",
  async () => {
    await run("create -f -", requestOf("jane"));
    expect(await run("get csr jane")).toMatch(
      /jane\s+\S+\s+kubernetes.io\/kube-apiserver-client\s+\S+\s+60m\s+Pending/,
    );
    expect(await run("certificate approve jane")).toContain("jane approved");
    await run("wait csr/jane --for=jsonpath={.status.certificate} --timeout=20s");
    expect(await run("get csr jane")).toMatch(/Approved,Issued/);
    const pem = Buffer.from(await run("get csr jane -o jsonpath={.status.certificate}"), "base64").toString();
    const cert = kubectl.file("jane.crt", pem);
    const keyFile = kubectl.file("jane.key", key.export({ type: "pkcs8", format: "pem" }).toString());
    await run(`config set-credentials jane --client-certificate=${cert} --client-key=${keyFile}`);
    // The user has no rights yet, and the refusal names the user.
    const { stderr } = await kubectl.run(["get", "namespaces", "--user=jane"]);
    expect(stderr).toContain('User "jane" cannot list resource "namespaces"');
  },
);

test.skipIf(binary === undefined)("CERT-5: a request that is denied stays without a certificate", async () => {
  await run("create -f -", requestOf("joe"));
  expect(await run("certificate deny joe")).toContain("joe denied");
  expect(await run("get csr joe")).toMatch(/Denied/);
});
