import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFIGMAPS, type Load, type LoadResult, ask } from "./load.ts";

/** Runs a load in a program of its own. */
export type Runner = (load: Load) => Promise<LoadResult>;

const EXECUTABLE = fileURLToPath(new URL("../../bin/keelson.js", import.meta.url));
const READERS = 100;
const PAUSE_MS = 100;
/** Requests that who floods has under way at a time: as many as one connection lets it. */
const DEEP = 200;
const ROUNDS = 5;
const KINDS = ["lists", "writes", "watches", "gets"] as const;
const ADMIN = "admin-token-of-the-bench";

/** A server that runs. */
interface Server extends AsyncDisposable {
  readonly url: string;
  readonly ca: string;
}

/** Compares the times of readers with and without floods, and prints them. */
export async function floodBench(objects: number, seconds: number, run: Runner): Promise<void> {
  const readers = Array.from({ length: READERS }, (_, i) => `reader-${i}`);
  await using server = await serve([...readers, "flood"]);
  await fill(server, objects);
  const { url, ca } = server;
  const load = (kind: Load["kind"], tokens: readonly string[], deep: number, pause: number): Load => ({
    url,
    ca,
    tokens,
    kind,
    objects,
    seconds,
    deep,
    pause,
  });
  const reads = load("reads", readers, 1, PAUSE_MS);
  await run(reads);
  for (const kind of KINDS) {
    const quiet: LoadResult[] = [];
    const calm: LoadResult[] = [];
    let answered = 0;
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(await run(reads));
      const [there, flood] = await Promise.all([run(reads), run(load(kind, ["flood"], DEEP, 0))]);
      calm.push(there);
      answered += flood.millis.length;
      refused += flood.refused;
    }
    const before = report("quiet", quiet);
    const after = report(`flood of ${kind}`, calm);
    console.log(`  ${answered} answered, ${refused} refused; p99 ${(after / before).toFixed(2)} times`);
  }
}

/** Starts the executable with a token for each of some users, who may do what they want with objects of a namespace. */
async function serve(users: readonly string[]): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-bench-floods-"));
  const tokens = join(directory, "tokens.csv");
  const lines = [`${ADMIN},admin,0,"system:masters"`, ...users.map((user, i) => `${user},${user},${i + 1},editors`)];
  writeFileSync(tokens, `${lines.join("\n")}\n`, { mode: 0o600 });
  const data = join(directory, "data");
  const args = ["serve", "--dialect", "kubernetes", "--data-dir", data, "--port", "0", "--token-auth-file", tokens];
  const child = spawn(process.execPath, [EXECUTABLE, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
  while (!printed.includes("ready in")) await once(child.stdout, "data");
  return {
    url: /^listening on (.*)$/m.exec(printed)![1]!,
    ca: readFileSync(join(data, "pki", "ca.crt"), "utf8"),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "close");
      rmSync(directory, { recursive: true });
    },
  };
}

async function fill({ url, ca }: Server, objects: number): Promise<void> {
  const session = connect(url, { ca });
  const post = async (path: string, object: object): Promise<void> => {
    const type = "application/json";
    const code = await ask(session, ADMIN, { path, method: "POST", body: JSON.stringify(object), type });
    if (code !== 201) throw new Error(`expected ${path} to take an object, got ${code}`);
  };
  await post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
    metadata: { name: "editors" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "editors" }],
  });
  for (let i = 0; i < objects; i += 100) {
    const some = Array.from({ length: Math.min(100, objects - i) }, (_, at) =>
      post(CONFIGMAPS, { metadata: { name: `c-${i + at}` }, data: { pad: "x".repeat(900) } }),
    );
    await Promise.all(some);
  }
  session.destroy();
}

/** Prints percentiles of times, of each the median of all rounds, as other programs disturb some of them; gives back the 99th, in ms. */
function report(what: string, rounds: readonly LoadResult[]): number {
  const median = (part: number): number => {
    const each = rounds.map(({ millis }) => {
      const sorted = millis.toSorted((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    });
    return each.toSorted((a, b) => a - b)[rounds.length >> 1]!;
  };
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => median(part).toFixed(2));
  const reads = rounds.reduce((sum, { millis }) => sum + millis.length, 0);
  const refused = rounds.reduce((sum, one) => sum + one.refused, 0);
  console.log(`${what.padEnd(18)} ${reads} reads, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, ${refused} refused`);
  return median(0.99);
}
