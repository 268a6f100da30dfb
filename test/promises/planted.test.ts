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
const JSON_TYPE = { "content-type": "application/json" };

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

/** Sends each secret in a way of its own; answers what was answered. */
async function plant(admin: Http2Client, stranger: Http2Client): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 1;
  const secret = (): string => SECRETS[next++ % MANY]!;
  const send = async (
    client: Http2Client,
    method: string,
    path: string,
    more: object = {},
    body = "",
  ): Promise<void> => {
    answers.push(await client.send(method, path, body, { ...JSON_TYPE, ...more }));
  };
  while (next < MANY) {
    const at = next;
    const path = `${NAMESPACE}/secrets/s${at}`;
    // What is stored is answered to who may read it, and is not looked at here.
    await admin.send("POST", `${NAMESPACE}/secrets`, JSON.stringify(secretOf(`s${at}`, secret())), JSON_TYPE);
    await admin.send("PUT", path, JSON.stringify(secretOf(`s${at}`, secret())), JSON_TYPE);
    const merge = { "content-type": "application/merge-patch+json" };
    await admin.send("PATCH", path, JSON.stringify({ stringData: { other: secret() } }), merge);
    await admin.send("DELETE", path, "", JSON_TYPE);
    // What is refused may not repeat it.
    await send(admin, "POST", `${NAMESPACE}/secrets`, {}, JSON.stringify(secretOf("No Name", secret())));
    await send(admin, "POST", `${NAMESPACE}/secrets`, {}, JSON.stringify(secretOf("cut", secret())).slice(0, -3));
    await send(stranger, "GET", `${NAMESPACE}/pods`, { authorization: `Bearer ${secret()}` });
    await send(stranger, "GET", "/healthz", { authorization: `Bearer ${secret()}` });
    await send(stranger, "GET", `${NAMESPACE}/pods`, {
      authorization: `Basic ${Buffer.from(`me:${secret()}`).toString("base64")}`,
    });
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: secret() } };
    await admin.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", JSON.stringify(review), JSON_TYPE);
    await send(stranger, "GET", `${NAMESPACE}/pods`, { "x-remote-user": "me", "x-remote-extra-key": secret() });
  }
  return answers;
}

/** Every file below a directory that is not one of those that hold credentials of the server itself. */
function* filesIn(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath, entry.name);
  }
}

test("CRYPT-3, AUDIT-9, AUTHN-8, CVE-2019-11250: fifty planted secrets are in no log, no metric, no error and not in the store", async () => {
  const directory = scratch.fresh();
  const policy = join(scratch.path, "policy.yaml");
  const encryption = join(scratch.path, "encryption.yaml");
  writeFileSync(policy, POLICY);
  writeFileSync(encryption, ENCRYPTION);
  const keelson = await Keelson.serve([
    ...["--dialect", "kubernetes", "--data-dir", directory, "--port", "0", "--log-level", "debug"],
    ...["--access-log", join(scratch.path, "access.log"), "--audit-policy-file", policy],
    ...["--audit-log-path", join(scratch.path, "audit.log"), "--encryption-provider-config", encryption],
  ]);
  const admin = await Http2Client.connect(keelson, directory);
  const stranger = await Http2Client.connect(keelson, directory, {});
  const answers = await plant(admin, stranger);
  const account = await admin.send("POST", `${NAMESPACE}/serviceaccounts/default/token`, "{}", JSON_TYPE);
  const token = account.json.status.token as string;
  const mine = await admin.send("GET", `${NAMESPACE}/pods`, "", { authorization: `Bearer ${token}` });
  expect([account.status, mine.status]).toEqual([201, 403]);
  const metrics = await admin.send("GET", "/metrics");
  admin.session.close();
  stranger.session.close();
  await keelson.stop();

  const own = [token, token.split(".")[2]!, read(directory, "admin.token").trim()];
  const forbidden = [...SECRETS.flatMap(spellings), ...own];
  const texts: [string, string][] = [
    ["standard output", keelson.stdout],
    ["standard error", keelson.stderr],
    ["metrics", metrics.text],
    ...answers.filter(({ status }) => status >= 400).map(({ text }, i): [string, string] => [`answer ${i}`, text]),
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
  expect(answers.filter(({ status }) => status >= 400).length).toBe(answers.length);
}, 60_000);
