import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/app/index.ts";
import { LONG, sampled } from "../../src/util/testing/amount.ts";
import { Kubectl, findKubectls } from "./kubectl.ts";
import { NEWEST_VERSION, newestKubectl } from "./newest.ts";
import { Results } from "./results.ts";
import { AREAS } from "./stories/index.ts";
import { type Story, tell } from "./story.ts";

const wanted = process.env["KUBECTLS"] ?? "";
const everything = wanted === "all";

interface Version {
  readonly binary: string;
  /** `1.33`. */
  readonly version: string;
}

function versionOf(binary: string): Version {
  const text = execFileSync(binary, ["version", "--client", "-o", "json"], { encoding: "utf8" });
  const { clientVersion } = JSON.parse(text) as { clientVersion: { major: string; minor: string } };
  return { binary, version: `${clientVersion.major}.${Number.parseInt(clientVersion.minor, 10)}` };
}

/**
 * The oldest and the newest, and with `LONG=1` one between; with `KUBECTLS=all` every one on the machine and the one of the
 * day; with `KUBECTLS=1.29,1.33` those.
 */
function chosen(): readonly Version[] {
  const found = findKubectls().map(versionOf);
  if (found.length === 0) console.log("the kubectl matrix is skipped: there is no kubectl on the path");
  const newest = everything || wanted.includes(NEWEST_VERSION) ? newestKubectl() : undefined;
  const all = newest === undefined ? found : [...found, { binary: newest, version: NEWEST_VERSION }];
  if (everything) return all;
  if (wanted !== "") return all.filter(({ version }) => wanted.split(",").includes(version));
  return all.filter((_, i) => i === 0 || (LONG && i === all.length >> 1) || i === all.length - 1);
}

const binaries = chosen();
/**
 * In the usual run the newest tells half of the stories of each area in the kubernetes dialect, chosen by `SEED`, and the oldest
 * one of each area in the neutral one; else all versions tell all in the first, and the newest in the other.
 */
const isWhole = LONG || wanted !== "";
const targets = [
  ...(isWhole ? binaries : binaries.slice(-1)).map((one) => ({ ...one, dialect: "kubernetes" as const })),
  ...(isWhole ? binaries.slice(-1) : binaries.slice(0, 1)).map((one) => ({ ...one, dialect: "neutral" as const })),
];
const results = new Results();

/** The stories of an area that a version tells in a dialect. */
function toldOf(stories: readonly Story[], dialect: "kubernetes" | "neutral"): readonly Story[] {
  if (isWhole) return stories;
  return dialect === "kubernetes" ? sampled(stories, 2) : stories.slice(0, 1);
}

let count = 0;

describe.each(targets)("kubectl $version, dialect $dialect", ({ binary, version, dialect }) => {
  const minor = Number(version.split(".")[1]);
  const domain = dialect === "neutral" ? "svc.io" : "k8s.io";
  let server: RunningServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startServer({ dev: true, port: 0, dialect });
    kubectl = new Kubectl(binary, server.kubeconfig);
  });
  afterAll(() => server?.close());

  for (const [area, stories] of Object.entries(AREAS)) {
    for (const story of toldOf(stories, dialect)) {
      const row = { area, name: story.name, dialect, version };
      const has = minor >= (story.since ?? 0);
      if (!has) {
        results.add({ ...row, outcome: "absent" });
        continue;
      }
      test.concurrent(`${area}: ${story.name}`, async () => {
        const namespace = `kubectl-${++count}`;
        results.add({ ...row, outcome: "wrong" });
        await server.client("stories").json("POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
        expect(await tell(story, { kubectl, namespace, domain })).toBe("");
        results.add({ ...row, outcome: area.startsWith("Refused") ? "refused" : "right" });
      }, 60_000);
    }
  }
});

afterAll(() => {
  if (everything) results.write();
});
