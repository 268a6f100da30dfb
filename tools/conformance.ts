// Plays the recorded scenarios and prints what differs; see test/conformance/README.md.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Player } from "../test/conformance/player.ts";
import { loadScenarios } from "../test/conformance/scenario.ts";
import { startConformanceServer } from "../test/conformance/server.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string" },
    token: { type: "string", default: "" },
    domain: { type: "string", default: "k8s.io" },
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "8" },
    show: { type: "string", default: "1000" },
  },
});

const folder = new URL("../test/conformance/", import.meta.url).pathname;
const known = JSON.parse(readFileSync(`${folder}known.json`, "utf8")) as Record<string, string>;
if (values.server?.startsWith("https:")) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
const own = values.server === undefined ? await startConformanceServer() : undefined;
const target = {
  url: values.server ?? own!.url,
  token: own?.pki.adminToken ?? values.token,
  domain: values.domain,
};
const scenarios = loadScenarios(folder).filter(({ scenario }) => new RegExp(values.only).test(scenario.name));
const outcomes = await new Player(target, Math.random().toString(36).slice(2, 8)).playAll(
  scenarios,
  Number(values.jobs),
);
const failed = outcomes.filter((o) => o.differences.length > 0 && !(o.name in known));
for (const outcome of failed.slice(0, Number(values.show))) {
  console.log(`✗ ${outcome.name}`);
  for (const { step, request, lines } of outcome.differences) {
    console.log(`   step ${step} ${request}`);
    for (const line of lines.slice(0, 8)) console.log(`     ${line}`);
  }
}
for (const area of new Set(outcomes.map((o) => o.area))) {
  const mine = outcomes.filter((o) => o.area === area);
  const steps = mine.reduce((n, o) => n + o.steps, 0);
  const wrong = mine.reduce((n, o) => n + o.differences.length, 0);
  const equal = mine.filter((o) => o.differences.length === 0).length;
  console.log(`${area}: scenarios ${equal}/${mine.length}, steps ${steps - wrong}/${steps}`);
}
await own?.close();
process.exitCode = failed.length > 0 ? 1 : 0;
