/**
 * The promise that no secret is anywhere: fifty are planted, in every place in which a client can put one, in a server that
 * logs all that it can log. Then everything that it has written, or answers to who may read it, is searched.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Answer, Http2Client, Keelson, Scratch, read } from "../serve/keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** A secret of the run: nothing else has it in its text. */
const planted = (at: number): string => createHash("sha256").update(`planted ${at}`).digest("hex");
const MANY = 50;
const SECRETS = Array.from({ length: MANY }, (_, at) => planted(at));

/** How a secret may be written: as it is, and as Secrets and basic credentials spell it (wherever it begins). */
const spellings = (secret: string): string[] => [
  secret,
  ...[0, 1, 2].map((lead) =>
    Buffer.from("x".repeat(lead) + secret)
      .toString("base64")
      .slice(lead === 0 ? 0 : 4, -4),
  ),
];

const NAMESPACE = "/api/v1/namespaces/default";
const MERGE = { "content-type": "application/merge-patch+json" };

const secretOf = (name: string, value: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  stringData: { password: value },
});

/** Everything but what people wrote themselves: the level at which bodies are written down. */
const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
  - level: Metadata
    resources:
      - group: ""
        resources: [secrets, serviceaccounts/token]
      - group: authentication.k8s.io
        resources: [tokenreviews]
  - level: RequestResponse
`;

const ENCRYPTION = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - aesgcm:
          keys:
            - name: first
              secret: ${Buffer.from(planted(0).slice(0, 32)).toString("base64")}
`;

/** Sends each secret in a way of its own; what was answered to those who were refused. */
async function plant(admin: Http2Client, stranger: () => Promise<Http2Client>): Promise<Answer[]> {
  const refusals: Answer[] = [];
  let next = 0;
  const secret = (): string => SECRETS[next++ % MANY]!;
  const refused = async (answer: Promise<Answer>): Promise<void> => void refusals.push(await answer);
  // An unauthenticated client has one request on a connection.
  const asking = async (headers: Readonly<Record<string, string>>, path = `${NAMESPACE}/pods`): Promise<void> => {
    const client = await stranger();
    await refused(client.send("GET", path, undefined, headers));
    client.close();
  };
  while (next < MANY) {
    const secrets = `${NAMESPACE}/secrets`;
    const name = `s${next}`;
    // What is stored is answered to who may read it, and is not looked at here.
    await admin.send("POST", secrets, secretOf(name, secret()));
    await admin.send("PUT", `${secrets}/${name}`, secretOf(name, secret()));
    await admin.send("PATCH", `${secrets}/${name}`, { stringData: { other: secret() } }, MERGE);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: secret() } };
    await admin.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    // What is refused may not repeat it.
    await refused(admin.send("POST", secrets, secretOf("No Name", secret())));
    await refused(admin.send("POST", secrets, { ...secretOf("bad", ""), data: { password: `${secret()}?` } }));
    await asking({ authorization: `Bearer ${secret()}` });
    await asking({ authorization: `Bearer ${secret()}` }, "/healthz");
    await asking({ authorization: `Basic ${Buffer.from(`me:${secret()}`).toString("base64")}` });
    await asking({ "x-remote-user": "me", "x-remote-extra-key": secret() });
  }
  return refusals;
}

/** Every file below a directory. */
function* filesIn(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath, entry.name);
  }
}

test("CRYPT-3, AUDIT-9, AUTHN-8, CVE-2019-11250, CVE-2020-8565: fifty planted secrets are in no log, no metric, no error and not in the store", async () => {
  const directory = scratch.fresh();
  const policy = join(scratch.path, "policy.yaml");
  const encryption = join(scratch.path, "encryption.yaml");
  writeFileSync(policy, POLICY);
  writeFileSync(encryption, ENCRYPTION);
  const keelson = await Keelson.serve([
    "--dialect=kubernetes",
    `--data-dir=${directory}`,
    "--port=0",
    "--log-level=debug",
    `--access-log=${join(scratch.path, "access.log")}`,
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${join(scratch.path, "audit.log")}`,
    `--encryption-provider-config=${encryption}`,
  ]);
  const admin = await Http2Client.connect(keelson, directory);
  const refusals = await plant(admin, () => Http2Client.connect(keelson, directory, {}));
  const account = await admin.send("POST", `${NAMESPACE}/serviceaccounts/default/token`, {});
  const token = account.json.status.token as string;
  const mine = await admin.send("GET", `${NAMESPACE}/pods`, undefined, { authorization: `Bearer ${token}` });
  expect([account.status, mine.status]).toEqual([201, 403]);
  const metrics = await admin.send("GET", "/metrics");
  admin.close();
  await keelson.stop();

  const own = [token, token.split(".")[2]!, read(directory, "admin.token").trim()];
  const forbidden = [...SECRETS.flatMap(spellings), ...own];
  const texts: [string, string][] = [
    ["standard output", keelson.stdout],
    ["standard error", keelson.stderr],
    ["metrics", metrics.text],
    ...refusals.map(({ text }, i): [string, string] => [`answer ${i}`, text]),
    ...[...filesIn(scratch.path)]
      .filter((file) => !/admin\.(?:token|kubeconfig)$|encryption\.yaml$/.test(file))
      .map((file): [string, string] => [file.slice(scratch.path.length + 1), readFileSync(file, "latin1")]),
  ];
  const found = texts.flatMap(([where, text]) =>
    forbidden.filter((one) => text.includes(one)).map((one) => `${where}: ${one.slice(0, 12)}`),
  );
  expect(found).toEqual([]);
  // All that could be written has been written: there was something to search.
  expect(texts.find(([where]) => where.endsWith("audit.log"))?.[1]).toContain('"level":"RequestResponse"');
  expect(texts.find(([where]) => where.endsWith("access.log"))?.[1]).toContain(`${NAMESPACE}/secrets`);
  expect(refusals.filter(({ status }) => status < 400)).toEqual([]);
}, 60_000);
