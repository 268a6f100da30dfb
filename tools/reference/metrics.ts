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
import { MADE, code, table } from "./markdown.ts";

/** The page. */
export async function metricsPage(): Promise<[path: string, text: string]> {
  const exposition = await ask();
  const parts = [
    "# Metrics",
    MADE,
    INTRODUCTION,
    table(["metric", "type", "labels", "what it says"], rowsOf(exposition)),
  ];
  return ["docs/reference/metrics.md", `${parts.join("\n\n")}\n`];
}

const INTRODUCTION = `\`GET /metrics\` answers in the text format of Prometheus, to the admin's credential.
[Run it as a service](../guides/service.md#metrics) has a configuration for a scraper. Histograms have the usual
\`_bucket\`, \`_sum\` and \`_count\`. The names that begin with \`apiserver_\` are those of kube-apiserver, so that dashboards for
it find them.`;

async function ask(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-metrics-"));
  try {
    const policy = join(directory, "policy.yaml");
    writeFileSync(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n");
    await using server = await startServer({
      dataDir: join(directory, "data"),
      port: 0,
      dialect: "kubernetes",
      accessLog: join(directory, "access.log"),
      auditPolicyFile: policy,
      auditLogPath: join(directory, "audit.log"),
    });
    const { adminToken, ca } = server.pki;
    const options = { ca: ca.cert, headers: { authorization: `Bearer ${adminToken}` } };
    const answerTo = async (path: string): Promise<string> => {
      const [answer] = (await once(get(new URL(path, server.url), options), "response")) as [IncomingMessage];
      return text(answer);
    };
    await answerTo("/api/v1/namespaces");
    return await answerTo("/metrics");
  } finally {
    rmSync(directory, { recursive: true });
  }
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
