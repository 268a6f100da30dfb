// Writes docs/evidence/clients.md from what came of the kubectl stories and of the programs that use libraries; with --check tells
// whether it is up to date. What was not run stays on the page as it is.
//
//     KUBECTLS=all vitest run test/kubectl/matrix.test.ts test/clients && npm run clients
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readLibraries } from "../test/clients/results.ts";
import { AREAS } from "../test/kubectl/stories/index.ts";
import { RESULTS_FILE, type Result } from "../test/kubectl/results.ts";
import { librarySections } from "./clients/libraries.ts";
import { Sections } from "./clients/sections.ts";

const PAGE = new URL("../docs/evidence/clients.md", import.meta.url).pathname;

const INTRODUCTION = `# Clients

The results of existing clients, unmodified, with the kinds that are [served](../reference/kinds.md). \`npm run clients\` writes this page
from the results of tests: of kubectl, and of [libraries](#libraries). For kubectl, each row is a story in \`test/kubectl/stories/\`: a few
command lines with the expected exit code and output. Each kubectl runs it against a server of its own.

- ✓ all results were as expected
- ✗ a result was different
- – this kubectl does not have the command yet, or requests a version of it that no longer exists (\`whoami\` of 1.27)
`;

const OTHERS = `
## Programs

Whole programs, unmodified, each with a test that passes or fails as a whole:

| program | test in \`test/clients/\` | what it does there |
|---|---|---|
| Helm 3 | \`helm.test.ts\` | the chart of \`helm create\`, with ingress and autoscaler: install, upgrade, history, rollback, test, uninstall, \`--wait\` |
| envtest (controller-runtime) | \`envtest.test.ts\` | starts and stops the directory of [\`keelson envtest\`](../guides/envtest.md): definitions, users, workloads, evictions, a manager |
| kube-scheduler 1.35 | \`scheduler.test.ts\` | follows all its kinds, binds Pods, waits, preempts, binds volumes, allocates devices, writes Events |
| sidecars of CSI drivers | \`sidecars.test.ts\` | provision, attach, resize and modify the volumes of a driver |

## Other requests of clients

| request | response |
|---|---|
| HTTP/2 or HTTP/1.1 on one TLS port | what ALPN chooses; plain HTTP/1.1 with \`--insecure-http\` |
| JSON, YAML, protobuf bodies and responses | JSON and YAML always; protobuf for the kinds that Go clients send typed, except definitions |
| tables, metadata only | for lists, objects and watches |
| discovery | aggregated (\`apidiscovery.k8s.io/v2\`) and document by document, with ETags |
| OpenAPI v3 | JSON, one document for each group and version, cacheable without end when requested by hash |
| OpenAPI v2 | JSON (Terraform) and protobuf (kubectl up to 1.28), one document |
| a watch | lines of JSON or protobuf over HTTP, one message for each event over WebSocket |
| a watch that begins with the current objects | \`sendInitialEvents=true\`, ended by a bookmark |
| a token | in the header, or among the WebSocket sub-protocols as \`base64url.bearer.authorization.k8s.io.<token>\` |
`;

const KUBECTL = "## kubectl: ";

const SIGNS: Readonly<Record<Result["outcome"], string>> = { right: "✓", refused: "✓", wrong: "✗", absent: "–" };

function kubectlTables(results: readonly Result[]): string {
  const columns = [...new Set(results.map(columnOf))].toSorted(byVersion);
  const parts: string[] = [];
  for (const [area, stories] of Object.entries(AREAS)) {
    const rows = results.filter((result) => result.area === area);
    parts.push(
      `\n${KUBECTL}${area.toLowerCase()}\n\n`,
      `| command | ${columns.join(" | ")} |\n|---|${columns.map(() => ":-:|").join("")}\n`,
    );
    for (const { name } of stories) {
      const signs = columns.map((column) => {
        const found = rows.find((row) => row.name === name && columnOf(row) === column);
        return found ? SIGNS[found.outcome] : "";
      });
      parts.push(`| ${name.replaceAll("|", String.raw`\|`)} | ${signs.join(" | ")} |\n`);
    }
  }
  return parts.join("");
}

const columnOf = ({ version, dialect }: Result): string =>
  dialect === "kubernetes" ? version : `${version} ${dialect}`;

const byVersion = (a: string, b: string): number => {
  const [one, other] = [a, b].map((column) => Number.parseInt(column.split(".")[1]!, 10));
  return one! - other! || a.length - b.length;
};

const before = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
const sections = new Sections(before);
const kubectl = existsSync(RESULTS_FILE)
  ? kubectlTables(JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Result[])
  : sections
      .starting(KUBECTL)
      .map(([, text]) => text)
      .join("");
const text = [INTRODUCTION, kubectl, librarySections(readLibraries(), sections), OTHERS].join("");
if (!process.argv.includes("--check")) {
  writeFileSync(PAGE, text);
} else if (text !== before) {
  console.error("docs/evidence/clients.md does not tell what the last runs have found: run npm run clients");
  process.exitCode = 1;
}
