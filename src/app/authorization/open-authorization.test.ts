import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { authContextOf } from "../../auth/testing/auth-context.ts";
import { NO_REQUEST } from "../../meta/request-info.ts";
import { ManualClock } from "../../util/clock.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { type RunningServer, startServer } from "../index.ts";
import { resolveOptions } from "../options/options.ts";
import { openAuthorization } from "./open-authorization.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Respond = (review: { spec: { user: string } }, response: ServerResponse) => void;

/** The kubeconfig of a webhook that responds so. */
async function webhookFile(respond: Respond): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    void json(request).then((review) => respond(review as { spec: { user: string } }, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/authorize?timeout=30s`;
  const file = join(mkdtempSync(join(tmpdir(), "keelson-webhook-")), "config");
  const clusters = [{ name: "c", cluster: { server: url } }];
  const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
  const config = { apiVersion: "v1", kind: "Config", clusters, contexts, users: [{ name: "u", user: {} }] };
  writeFileSync(file, JSON.stringify({ ...config, "current-context": "x" }));
  return file;
}

const says =
  (allowed: (user: string) => boolean): Respond =>
  ({ spec }, response) => {
    const head = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview" };
    response.end(JSON.stringify({ ...head, status: { allowed: allowed(spec.user) } }));
  };

async function started(options: Parameters<typeof startServer>[0]): Promise<RunningServer> {
  const server = await startServer({
    dev: true,
    port: 0,
    insecureHttp: true,
    dialect: "kubernetes",
    controllers: ["none"],
    ...options,
  });
  cleanups.push(() => server.close());
  return server;
}

const codeAs = async ({ url, pki }: RunningServer, user: string): Promise<number> => {
  const headers = { authorization: `Bearer ${pki.adminToken}`, "impersonate-user": user };
  return (await fetch(`${url}/api/v1/namespaces/default/configmaps`, { headers })).status;
};

test("RBAC-38: --authorization-mode Webhook calls the webhook of a kubeconfig, but not for the admin", async () => {
  const kubeconfig = await webhookFile(says((user) => user === "jane"));
  const server = await started({ authorizationMode: ["Webhook"], authorizationWebhookConfigFile: kubeconfig });
  expect([await codeAs(server, "jane"), await codeAs(server, "joe")]).toEqual([200, 403]);
});

test("RBAC-12, RBAC-38: a failed webhook is a 500 if no other authorizer allows the request", async () => {
  const kubeconfig = await webhookFile((_, response) => response.writeHead(302, { location: "/else" }).end());
  const server = await started({ authorizationMode: ["Webhook"], authorizationWebhookConfigFile: kubeconfig });
  expect(await codeAs(server, "jane")).toBe(500);
});

test("RBAC-38: --authorization-config sets the authorizers and their order", async () => {
  const kubeConfigFile = await webhookFile(says((user) => user === "jane"));
  const webhook = {
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
  };
  const file = join(mkdtempSync(join(tmpdir(), "keelson-authorization-")), "config.yaml");
  const authorizers = [
    { type: "Webhook", name: "mine", webhook },
    { type: "RBAC", name: "rbac" },
  ];
  const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration" };
  writeFileSync(file, JSON.stringify({ ...head, authorizers }));
  const server = await started({ authorizationConfig: file });
  expect([await codeAs(server, "jane"), await codeAs(server, "joe")]).toEqual([200, 403]);
});

/** A configuration with a webhook in front of others. */
const configuration = (kubeConfigFile: string, others: readonly string[] = ["RBAC"]): string => {
  const webhook = {
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
  };
  const authorizers = [
    { type: "Webhook", name: "mine", webhook },
    ...others.map((type) => ({ type, name: type.toLowerCase() })),
  ];
  return JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers,
  });
};

test("RBAC-38: a changed configuration is used; an invalid one is logged, and the previous one stays", async () => {
  const [jane, joe] = [
    await webhookFile(says((user) => user === "jane")),
    await webhookFile(says((user) => user === "joe")),
  ];
  const file = join(mkdtempSync(join(tmpdir(), "keelson-authorization-")), "config.yaml");
  writeFileSync(file, configuration(jane));
  const clock = new ManualClock(Date.now());
  const told: string[] = [];
  const log: Log = { ...silentLog, error: (_message, fields) => void told.push(String(fields?.["error"])) };
  const open = new AsyncDisposableStack();
  cleanups.push(() => open.disposeAsync());
  const { modes, webhook } = resolveOptions({ dev: true }).authorization;
  const authorization = openAuthorization({ modes, webhook, configFile: file }, { clock, log, open });
  const authorizer = authorization.authorizer(authContextOf());
  const info = { ...NO_REQUEST, isResource: true, verb: "list", resource: "pods", version: "v1" };
  const may = async (user: string): Promise<boolean> =>
    (await authorizer.authorize({ user, groups: [] }, info)).allowed;
  const reloads = async (): Promise<unknown> =>
    (await authorization.metrics[0]!())[0]!.samples.map(({ value }) => value);
  const changed = async (text: string, counts: readonly number[]): Promise<void> => {
    // Replaced atomically: the previous check may still be reading.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    await expect
      .poll(
        async () => {
          clock.advance(5000);
          return reloads();
        },
        { timeout: 10_000 },
      )
      .toEqual(counts);
  };
  expect([await may("jane"), await may("joe"), authorization.allowsAll()]).toEqual([true, false, false]);

  await changed(configuration(joe), [1, 0]);
  expect([await may("jane"), await may("joe")]).toEqual([false, true]);

  await changed("{}", [1, 1]);
  await changed(configuration("/nowhere"), [1, 2]);
  await changed(configuration(jane, []), [1, 3]);
  await changed(configuration(jane, ["RBAC", "Node"]), [1, 4]);
  expect([await may("jane"), await may("joe")]).toEqual([false, true]);
  expect(told).toEqual([
    expect.stringContaining("authorizers: expected at least one"),
    expect.stringContaining("/nowhere"),
    expect.stringContaining("expected RBAC, as at the start of the server"),
    expect.stringContaining("expected no Node, which needs a restart of the server"),
  ]);

  await changed(configuration(jane, ["RBAC", "AlwaysAllow"]), [2, 4]);
  clock.advance(60_000);
  expect([await may("jane"), await may("joe"), authorization.allowsAll()]).toEqual([true, true, true]);
});

test.each([
  [{ authorizationMode: ["Webhook"] as const }, "authorization-webhook-config-file"],
  [{ authorizationWebhookConfigFile: "x" }, "authorization-webhook-config-file"],
  [{ authorizationConfig: "x", authorizationMode: ["Node"] as const }, "authorization-config"],
  [{ authorizationConfig: "/nowhere" }, "authorization-config"],
])("refuses options that exclude each other or name no file: %j", async (options, flag) => {
  await expect(startServer({ dev: true, port: 0, ...options })).rejects.toThrow(`--${flag}`);
});
