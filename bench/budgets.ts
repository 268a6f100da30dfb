/**
 * What each verb costs the executable in CPU, in units of a floor that is measured in the same run, against the budgets in
 * budgets.json.
 *
 * The executable runs with the embedded store and no controllers; clients are this process, over TLS and HTTP/2, many requests
 * at a time. CPU is that of the server's whole process with all of its threads. The floor (budgets/floor.ts) is asked by the
 * same clients, with an object of the same size, so a slow or busy machine makes both dearer. All take turns in many short
 * rounds; what counts is the mean of the calmer ones, as the least is a matter of luck. A verb that is over its budget is measured
 * a second time, and its lesser figure counts. It takes two minutes at most. `watch` is an event that one of many watches sees, with
 * its share of the patch.
 *
 *     node bench/budgets.ts             what each verb costs
 *     node bench/budgets.ts --check     the same; 1, and a sentence for each, where a verb is over its budget by more than a tenth
 *     node bench/budgets.ts --record    the same, and writes it into budgets.json
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Keelson, Scratch, type StartOptions, read } from "../test/serve/keelson.ts";
import { type Costs, calm, complaints, isOver, rounded } from "./budgets/check.ts";
import { Clients } from "./budgets/clients.ts";
import { IS_COARSE, cpuSince } from "./budgets/cpu.ts";
import { type Ask, CONFIGMAPS } from "./floods/load.ts";

const FILE = new URL("./budgets.json", import.meta.url);
/** Rounds are as short as CPU can be told: what disturbs the floor and a verb is then the same. */
const LENGTH = IS_COARSE ? 10 : 1;
/** Rounds that do not count: V8 compiles meanwhile what runs often. */
const WARM = 20 / LENGTH;
const ROUNDS = 80 / LENGTH;
/** Where the machine is busy, and so much time has passed, fewer rounds do; and for verbs that are over their budgets. */
const FEWEST = 20 / LENGTH;
const ENOUGH_MS = 80_000;
const ENOUGH_AGAIN_MS = 110_000;
/** After so much time something hangs. */
const GIVE_UP_MS = 180_000;
/** Objects that all verbs but these two ask for: none of them changes how many there are. */
const OBJECTS = 2000;
const CREATED = "/api/v1/namespaces/kube-node-lease/configmaps";
const WATCHED = "/api/v1/namespaces/kube-public/configmaps";
const WATCHES = 300;
/** Writes of one object wait for each other, and each for the disk. */
const WATCHED_OBJECTS = 100;

const objectOf = (name: string, value: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { app: "bench", part: `p${Number(name.slice(2)) % 100}` } },
    data: { pad: "x".repeat(900), value },
  });

let asked = 0;
/** Another one of so many objects. */
const some = (objects: number): string => `c-${(asked++ * 7919) % objects}`;

const post = (collection: string, name: string): Ask => ({
  path: collection,
  method: "POST",
  body: objectOf(name, "first"),
  type: "application/json",
});
const patch = (collection: string, objects: number): Ask => ({
  path: `${collection}/${some(objects)}`,
  method: "PATCH",
  body: JSON.stringify({ data: { value: `p${asked}` } }),
  type: "application/merge-patch+json",
});

/** How something is requested, and how often in a round: for 40 ms of CPU. */
interface Verb {
  readonly times: number;
  /** What a request is shared by. */
  readonly events?: number;
  readonly ask: () => Ask;
}

const FLOOR: Verb = { times: 600, ask: () => post("/", "c-0") };
const VERBS: Readonly<Record<string, Verb>> = {
  create: { times: 120, ask: () => post(CREATED, `c-${asked++}`) },
  get: { times: 700, ask: () => ({ path: `${CONFIGMAPS}/${some(OBJECTS)}` }) },
  update: {
    times: 100,
    ask: () => {
      const name = some(OBJECTS);
      const body = objectOf(name, `u${asked}`);
      return { path: `${CONFIGMAPS}/${name}`, method: "PUT", body, type: "application/json" };
    },
  },
  "merge patch": { times: 100, ask: () => patch(CONFIGMAPS, OBJECTS) },
  apply: {
    times: 100,
    ask: () => ({
      path: `${CONFIGMAPS}/${some(OBJECTS)}?fieldManager=bench&force=true`,
      method: "PATCH",
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", data: { applied: `a${asked}` } }),
      type: "application/apply-patch+yaml",
    }),
  },
  page: { times: 60, ask: () => ({ path: `${CONFIGMAPS}?limit=100` }) },
  select: { times: 120, ask: () => ({ path: `${CONFIGMAPS}?labelSelector=part%3Dp${asked++ % 100}` }) },
  watch: { times: 30, events: WATCHES, ask: () => patch(WATCHED, WATCHED_OBJECTS) },
};

/** Starts a program that ends with this one, however that ends. */
async function start(args: readonly string[], options?: StartOptions): Promise<Keelson> {
  const program = new Keelson(args, options);
  process.on("exit", () => program.process.kill("SIGKILL"));
  await program.ready();
  return program;
}

/** What each verb costs, in floors. */
async function measure(budgets: Costs): Promise<Costs> {
  // What users run is measured, not its sources.
  execFileSync(process.execPath, [fileURLToPath(new URL("../tools/warm.js", import.meta.url))]);
  const directory = scratch.fresh();
  const options = ["--dialect", "kubernetes", "--controllers", "none"];
  const server = await start(["serve", "--data-dir", directory, "--port", "0", ...options]);
  const executable = fileURLToPath(new URL("./budgets/floor.ts", import.meta.url));
  const floor = await start([join(directory, "pki")], { executable });
  const ca = read(directory, "pki/ca.crt");
  const clients = new Clients(server.url, ca, read(directory, "admin.token"));
  const clientsOfFloor = new Clients(floor.url, ca, "none");

  const watches = clients.watch(WATCHED, WATCHES);
  let written = WATCHED_OBJECTS;
  for (const [collection, count] of [
    [WATCHED, WATCHED_OBJECTS],
    [CONFIGMAPS, OBJECTS],
  ] as const) {
    let made = 0;
    await clients.many(count, () => post(collection, `c-${made++}`));
  }

  /** Microseconds of one. */
  const costOf = async (verb: Verb): Promise<number> => {
    const [program, its] = verb === FLOOR ? [floor, clientsOfFloor] : [server, clients];
    const times = verb.times * LENGTH;
    const cpu = cpuSince(program.pid);
    await its.many(times, verb.ask);
    if (verb.events !== undefined) await watches.seen((written += times) * verb.events);
    return cpu() / times / (verb.events ?? 1);
  };
  /** What verbs cost, in floors: all of them take turns. */
  const rounds = async (names: readonly string[], until: number): Promise<Costs> => {
    const micros = new Map(["", ...names].map((name) => [name, [] as number[]]));
    for (let round = 0; round < ROUNDS && (round < FEWEST || performance.now() < until); round++)
      for (const [name, noted] of micros) noted.push(await costOf(VERBS[name] ?? FLOOR));
    const unit = calm(micros.get("")!);
    return Object.fromEntries(names.map((name) => [name, calm(micros.get(name)!) / unit]));
  };
  for (let round = 0; round < WARM; round++) for (const verb of [FLOOR, ...Object.values(VERBS)]) await costOf(verb);
  const costs = await rounds(Object.keys(VERBS), ENOUGH_MS);
  const over = Object.keys(costs).filter((name) => isOver(budgets[name] ?? Infinity, costs[name]!));
  const again = over.length > 0 ? await rounds(over, ENOUGH_AGAIN_MS) : {};
  return Object.fromEntries(Object.entries(costs).map(([name, cost]) => [name, Math.min(cost, again[name] ?? cost)]));
}

const mode = process.argv[2];
if (mode !== undefined && mode !== "--check" && mode !== "--record") {
  console.error(`Expected --check or --record, or neither, got ${mode}`);
  process.exit(2);
}
setTimeout(() => {
  console.error(`Expected an end after ${GIVE_UP_MS / 1000} s at most; something hangs, or others need the machine.`);
  process.exit(1);
}, GIVE_UP_MS).unref();
const scratch = new Scratch();
process.on("exit", () => scratch.remove());
const { budgets } = JSON.parse(readFileSync(FILE, "utf8")) as { budgets: Costs };
const found = await measure(mode === "--check" ? budgets : {});
for (const [name, cost] of Object.entries(found)) {
  console.log(`${name.padEnd(12)} ${String(rounded(cost)).padStart(6)} floors, budget ${budgets[name] ?? "none"}`);
}
if (mode === "--record") {
  const unit = "CPU of one request to bench/budgets/floor.ts, measured in the same run; see bench/budgets.ts";
  const recorded = Object.fromEntries(Object.entries(found).map(([name, cost]) => [name, rounded(cost)]));
  writeFileSync(FILE, `${JSON.stringify({ unit, budgets: recorded }, undefined, 2)}\n`);
}
const wrong = mode === "--check" ? complaints(budgets, found) : [];
for (const sentence of wrong) console.error(sentence);
process.exit(wrong.length > 0 ? 1 : 0);
