/**
 * The page of metrics: what a server says of itself at `/metrics` after a few requests.
 *
 * @module
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startServer } from "../../src/app/index.ts";
import { EtcdTimes } from "../../src/app/storage/etcd-times.ts";
import type { Client } from "../../src/client/index.ts";
import {
  ConfigMap,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  Pod,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "../../src/client/kinds/index.ts";
import { expose } from "../../src/util/exposition.ts";
import { MADE, code, table } from "./markdown.ts";

/** The page. */
export async function metricsPage(): Promise<[path: string, text: string]> {
  const exposition = await ask();
  const parts = ["# Metrics", MADE, INTRODUCTION, table(["metric", "type", "labels", "meaning"], rowsOf(exposition))];
  return ["docs/reference/metrics.md", `${parts.join("\n\n")}\n`];
}

const INTRODUCTION = `\`GET /metrics\` responds in the text format of Prometheus, to users who may read it. A client
that accepts \`application/openmetrics-text\` gets the format of OpenMetrics, with exemplars of
[traced](../guides/tracing.md) requests.
[Run it as a service](../guides/service.md#metrics) has a configuration for a scraper. Histograms have the usual
\`_bucket\`, \`_sum\` and \`_count\`. The names that begin with \`apiserver_\` are those of kube-apiserver, so that
its dashboards work, and so are those that begin with \`etcd_\`, which a server over etcd has.`;

async function ask(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-metrics-"));
  try {
    const policy = join(directory, "policy.yaml");
    writeFileSync(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n");
    const tracing = join(directory, "tracing.yaml");
    writeFileSync(tracing, "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n");
    await using server = await startServer({
      dataDir: join(directory, "data"),
      port: 0,
      dialect: "kubernetes",
      accessLog: join(directory, "access.log"),
      auditPolicyFile: policy,
      tracingConfigFile: tracing,
      auditLogPath: join(directory, "audit.log"),
      featureGates: { MutatingAdmissionPolicy: true },
    });
    const { adminToken, ca } = server.pki;
    const options = { ca: ca.cert, headers: { authorization: `Bearer ${adminToken}` } };
    const textOf = async (path: string): Promise<string> => {
      const [response] = (await once(get(new URL(path, server.url), options), "response")) as [IncomingMessage];
      return text(response);
    };
    await textOf("/api/v1/namespaces");
    await useAdmission(server.client("reference"));
    return (await textOf("/metrics")) + metricsOfEtcd();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What a server over etcd has besides. */
function metricsOfEtcd(): string {
  const times = new EtcdTimes();
  times.add("get", 0, false);
  return expose(times.collect());
}

const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const ON_MAPS = { matchConstraints: { resourceRules: [RULE] } };

/** A write that webhooks without a server, and policies match: metrics of admission exist once there is something to count. */
async function useAdmission(client: Client): Promise<void> {
  const hook = (name: string, failurePolicy: string, expression = "true") => ({
    name: `${name}.example.com`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig: { url: "https://127.0.0.1:1/" },
    failurePolicy,
    matchConditions: [{ name: "condition", expression }],
    rules: [RULE],
  });
  const named = (name: string) => ({ metadata: { name } });
  await client.resource(ValidatingAdmissionPolicy).create({
    ...named("checks"),
    spec: { ...ON_MAPS, validations: [{ expression: "false" }] },
  });
  const binding = { policyName: "checks", validationActions: ["Audit"] };
  await client.resource(ValidatingAdmissionPolicyBinding).create({ ...named("checks"), spec: binding });
  await client.resource(ValidatingAdmissionPolicyBinding).create({
    metadata: { name: "shadow", annotations: { "keelson.dev/shadow": "true" } },
    spec: binding,
  });
  await client.resource(MutatingAdmissionPolicy).create({
    ...named("changes"),
    spec: {
      ...ON_MAPS,
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "JSONPatch",
          jsonPatch: { expression: "[JSONPatch{op: 'test', path: '/kind', value: object.kind}]" },
        },
      ],
    },
  });
  await client
    .resource(MutatingAdmissionPolicyBinding)
    .create({ ...named("changes"), spec: { policyName: "changes" } });
  await client.resource(MutatingWebhookConfiguration).create({
    ...named("mutating"),
    webhooks: [hook("ignored", "Ignore"), hook("skipped", "Fail", "false"), hook("odd", "Ignore", "object.none == 1")],
  });
  await client
    .resource(ValidatingWebhookConfiguration)
    .create({ ...named("validating"), webhooks: [hook("failing", "Fail")] });
  const refused = client.resource(ConfigMap).create({ metadata: { name: "a", namespace: "default" } });
  await refused.catch(() => undefined);
  await client.resource(Pod).create({
    metadata: { name: "p", namespace: "kube-system" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
}

function rowsOf(exposition: string): string[][] {
  const families = exposition.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm);
  return [...families]
    .toSorted(([, a], [, b]) => (a! < b! ? -1 : 1))
    .map(([, name, help, type]) => [code(name!), type!, labelsOf(exposition, name!), help!]);
}

function labelsOf(exposition: string, name: string): string {
  const sample = new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, "m").exec(exposition)?.[1] ?? "";
  const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label!).filter((label) => label !== "le");
  return labels.map(code).join(", ");
}
