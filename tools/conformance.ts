/**
 * Plays the recorded scenarios and prints what differs, or records the answers of new ones; see
 * test/conformance/README.md.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Answer, compareAnswers } from "../test/conformance/compare.ts";
import { Player } from "../test/conformance/player.ts";
import { loadFiles, loadScenarios, writeGolden } from "../test/conformance/scenario.ts";
import { playOnOwnServers } from "../test/conformance/server.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string" },
    token: { type: "string", default: "" },
    domain: { type: "string", default: "k8s.io" },
    only: { type: "string", default: "" },
    from: { type: "string" },
    jobs: { type: "string", default: "8" },
    show: { type: "string", default: "1000" },
    record: { type: "boolean", default: false },
  },
});

const home = new URL("../test/conformance/", import.meta.url).pathname;
const folder = values.from ?? home;
const chosen = new RegExp(values.only);
if (values.server?.startsWith("https:")) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
if (values.record && values.server === undefined) {
  console.error("expected --server with --record: what is recorded are the answers of a real API server");
  process.exit(2);
}
const run = (): string => Math.random().toString(36).slice(2, 8);
const newPlayer = (url: string): Player => new Player({ url, token: values.token, domain: values.domain }, run());
process.exitCode = (await (values.record ? record(values.server!) : compare())) ? 0 : 1;

/** Plays what has recorded answers; whether all are equal that should be. */
async function compare(): Promise<boolean> {
  const known = JSON.parse(readFileSync(`${home}known.json`, "utf8")) as Record<string, string>;
  const scenarios = loadScenarios(folder).filter(({ scenario }) => chosen.test(scenario.name));
  const jobs = Number(values.jobs);
  const outcomes =
    values.server === undefined
      ? await playOnOwnServers(scenarios, run(), jobs)
      : await newPlayer(values.server).playAll(scenarios, jobs);
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
  return failed.length === 0;
}

/** Records every scenario that has no answers yet, twice; keeps those whose answers are the same both times. */
async function record(server: string): Promise<boolean> {
  let stable = true;
  for (const { name, scenarios, golden } of loadFiles(folder)) {
    const missing = scenarios.filter((scenario) => !(scenario.name in golden) && chosen.test(scenario.name));
    const added: Record<string, readonly unknown[]> = {};
    for (const [i, scenario] of missing.entries()) {
      const [first, second] = [
        await newPlayer(server).answers(scenario, i),
        await newPlayer(server).answers(scenario, i),
      ];
      const [ones, others] = [first.flat(Infinity), second.flat(Infinity)] as Answer[][];
      const same =
        ones!.length === others!.length && ones!.every((one, step) => compareAnswers(one, others![step]!).length === 0);
      if (same) added[scenario.name] = first;
      stable &&= same;
      console.log(`${same ? "recorded" : "answered differently the second time"}: ${scenario.name}`);
    }
    if (Object.keys(added).length > 0) writeGolden(folder, name, { ...golden, ...added });
  }
  return stable;
}
