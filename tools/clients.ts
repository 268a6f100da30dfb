// Writes docs/clients.md from what came of the kubectl stories; with --check tells whether it is up to date.
//
//     KUBECTLS=all vitest run test/kubectl/matrix.test.ts && node tools/clients.ts
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { AREAS } from "../test/kubectl/stories/index.ts";
import { RESULTS_FILE, type Result } from "../test/kubectl/results.ts";

const PAGE = new URL("../docs/clients.md", import.meta.url).pathname;

const INTRODUCTION = `# Clients

Every client that people already have works, unmodified. This page is made by \`tools/clients.ts\` from a run of the stories
in \`test/kubectl/stories/\`: each row is one of them, a handful of command lines with the exit code and the output that must
come of them, told to a server of its own by each kubectl.

- ✓ everything came as told
- ✗ something else came
- – this kubectl does not have the command yet, or asks for a version of it that has been given up (\`whoami\` of 1.27)
`;

const OTHERS = `
## What else clients meet

| they ask for | they get |
|---|---|
| HTTP/2 or HTTP/1.1 on one TLS port | what ALPN chooses; plain HTTP/1.1 with \`--insecure-http\` |
| JSON, YAML, protobuf bodies and answers | JSON and YAML always; protobuf for the kinds that Go clients send typed |
| tables, metadata only | for lists, objects and watches |
| discovery | aggregated (\`apidiscovery.k8s.io/v2\`) and document by document, with ETags |
| OpenAPI v3 | JSON, one document for each group and version, to be kept for good when asked for by hash |
| OpenAPI v2 | JSON (Terraform) and protobuf (kubectl up to 1.28), one document |
| a watch | lines of JSON or protobuf over HTTP, one message for each event over WebSocket |
| a watch that begins with what is there | \`sendInitialEvents=true\`, ended by a bookmark |
| a token | in the header, or among the WebSocket sub-protocols as \`base64url.bearer.authorization.k8s.io.<token>\` |
`;

const SIGNS: Readonly<Record<Result["outcome"], string>> = { right: "✓", refused: "✓", wrong: "✗", absent: "–" };

function page(results: readonly Result[]): string {
  const columns = [...new Set(results.map(columnOf))].toSorted(byVersion);
  const parts = [INTRODUCTION];
  for (const [area, stories] of Object.entries(AREAS)) {
    const rows = results.filter((result) => result.area === area);
    parts.push(
      `\n## kubectl: ${area.toLowerCase()}\n\n`,
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
  return [...parts, OTHERS].join("");
}

const columnOf = ({ version, dialect }: Result): string =>
  dialect === "kubernetes" ? version : `${version} ${dialect}`;

const byVersion = (a: string, b: string): number => {
  const [one, other] = [a, b].map((column) => Number.parseInt(column.split(".")[1]!, 10));
  return one! - other! || a.length - b.length;
};

if (!existsSync(RESULTS_FILE)) {
  console.log("docs/clients.md is left as it is: there are no results; run the matrix with KUBECTLS=all first");
} else {
  const text = page(JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Result[]);
  const before = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
  if (!process.argv.includes("--check")) {
    writeFileSync(PAGE, text);
  } else if (text !== before) {
    console.error("docs/clients.md does not tell what the last run of the matrix has found: run node tools/clients.ts");
    process.exitCode = 1;
  }
}
