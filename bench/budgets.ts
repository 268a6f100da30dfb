/**
 * What each verb costs the executable in CPU, in units of a floor that is measured in the same run, against the budgets in
 * budgets.json.
 *
 * The executable runs with the embedded store and no controllers; clients are this process, over TLS and HTTP/2, many requests
 * at a time. CPU is that of the server's whole process with all of its threads. The floor (budgets/floor.ts) is asked right
 * before each verb, with an object of the same size, so a slow or busy machine makes both dearer. All take turns in many short
 * rounds; the lower quartile of them counts, as what else the machine does makes rounds dearer, never cheaper. A verb that is
 * over its budget is measured in more rounds. It takes two minutes at most.
 *
 *     node bench/budgets.ts             what each verb costs
 *     node bench/budgets.ts --check     the same; 1, and a sentence for each, where a verb is over its budget by more than a tenth
 *     node bench/budgets.ts --record    the same, and writes it into budgets.json
 *
 * @module
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type Costs, calm, complaints, isOver, rounded } from "./budgets/check.ts";
import { Clients } from "./budgets/clients.ts";
import type { FloorAddress } from "./budgets/floor.ts";
import { ADMIN, serve } from "./floods/server.ts";
import { type Ask, CONFIGMAPS } from "./floods/load.ts";

const FILE = new URL("./budgets.json", import.meta.url);
const OBJECTS = 2000;
const METER = new URL("./budgets/meter.ts", import.meta.url);
/** Short ones, as other work disturbs some of them. */
const ROUNDS = 20;
/** After so many, none begins when that much time has passed. */
const FEWEST_ROUNDS = 4;
const ENOUGH_MS = 70_000;
/** Requests to the floor before each verb. */
const FLOOR = 200;
const WARM_ROUNDS = 20;
const WATCHES = 50;
const WATCHED = "/api/v1/namespaces/kube-public/configmaps";

const objectOf = (name: string, value: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { app: "bench", part: `p${Number(name.slice(2)) % 100}` } },
    data: { pad: "x".repeat(900), value },
  });

let made = 0;
let asked = 0;
/** Another one of the objects that were there from the start. */
const some = (): string => `c-${(asked++ * 7919) % OBJECTS}`;

const post = (path: string): Ask => ({
  path,
  method: "POST",
  body: objectOf(`c-${made++}`, "first"),
  type: "application/json",
});
const patch = (collection: string): Ask => ({
  path: `${collection}/${some()}`,
  method: "PATCH",
  body: JSON.stringify({ data: { value: `p${asked}` } }),
  type: "application/merge-patch+json",
});

/** How a verb is asked for, and how often in a round. */
interface Verb {
  readonly times: number;
  readonly ask: () => Ask;
}

const VERBS: Readonly<Record<string, Verb>> = {
  create: { times: 100, ask: () => post(CONFIGMAPS) },
  get: { times: 300, ask: () => ({ path: `${CONFIGMAPS}/${some()}` }) },
  update: {
    times: 100,
    ask: () => {
      const name = some();
      const body = objectOf(name, `u${asked}`);
      return { path: `${CONFIGMAPS}/${name}`, method: "PUT", body, type: "application/json" };
    },
  },
  "merge patch": { times: 100, ask: () => patch(CONFIGMAPS) },
  apply: {
    times: 100,
    ask: () => ({
      path: `${CONFIGMAPS}/${some()}?fieldManager=bench&force=true`,
      method: "PATCH",
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", data: { applied: `a${asked}` } }),
      type: "application/apply-patch+yaml",
    }),
  },
  page: { times: 40, ask: () => ({ path: `${CONFIGMAPS}?limit=100` }) },
  select: { times: 60, ask: () => ({ path: `${CONFIGMAPS}?labelSelector=part%3Dp${asked++ % 100}` }) },
  // A merge patch that many watches see.
  watch: { times: 10, ask: () => ({ ...patch(WATCHED), path: `${WATCHED}/c-0` }) },
};

/** Microseconds of CPU that a child with a meter has used so far. */
async function cpuOf(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [micros] = (await once(child, "message")) as [number];
  return micros;
}

/** Microseconds of CPU of a child for one of `times` requests. */
async function costOf(child: ChildProcess, times: number, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuOf(child);
  await work();
  return ((await cpuOf(child)) - before) / times;
}

/** The floor and the server, with clients of both. */
class Both {
  readonly #floor: ChildProcess;
  readonly #floorClients: Clients;
  readonly #server: ChildProcess;
  readonly #clients: Clients;
  /** Microseconds of each round. */
  readonly #micros = new Map<string, number[]>();

  constructor(floor: readonly [ChildProcess, Clients], server: readonly [ChildProcess, Clients]) {
    [this.#floor, this.#floorClients] = floor;
    [this.#server, this.#clients] = server;
  }

  /** Makes the objects, and asks for everything until V8 has compiled what runs often: it does so in threads that count as well. */
  async warmUp(): Promise<void> {
    await this.#clients.many(OBJECTS, () => post(CONFIGMAPS));
    made = 0;
    await this.#clients.many(1, () => post(WATCHED));
    made = OBJECTS;
    await this.#askFloor(WARM_ROUNDS * FLOOR);
    for (const { times, ask } of Object.values(VERBS)) await this.#clients.many(WARM_ROUNDS * times, ask);
  }

  /** What verbs cost, in floors: several rounds, in which all of them take turns. */
  async rounds(names: readonly string[], until: number): Promise<Costs> {
    for (let round = 0; round < ROUNDS && (round < FEWEST_ROUNDS || performance.now() < until); round++) {
      for (const name of names) {
        this.#note("", await costOf(this.#floor, FLOOR, () => this.#askFloor(FLOOR)));
        this.#note(name, await this.#cost(name));
      }
    }
    const floor = calm(this.#micros.get("")!);
    return Object.fromEntries(names.map((name) => [name, calm(this.#micros.get(name)!) / floor]));
  }

  async #cost(name: string): Promise<number> {
    const { times, ask } = VERBS[name]!;
    using watches = name === "watch" ? await this.#clients.watch(WATCHED, WATCHES) : undefined;
    return await costOf(this.#server, times, () => Promise.all([this.#clients.many(times, ask), watches?.seen(times)]));
  }

  async #askFloor(times: number): Promise<void> {
    const body = objectOf("c-0", "echo");
    await this.#floorClients.many(times, () => ({ path: "/", method: "POST", body, type: "application/json" }));
  }

  #note(name: string, micros: number): void {
    const before = this.#micros.get(name);
    if (before) before.push(micros);
    else this.#micros.set(name, [micros]);
  }
}

async function measure(budgets: Costs): Promise<Costs> {
  const child = fork(new URL("./budgets/floor.ts", import.meta.url), { execArgv: ["--import", METER.href] });
  const [address] = (await once(child, "message")) as [FloorAddress];
  using floorClients = new Clients(address.url, address.ca, "");
  await using server = await serve([], ["--controllers", "none"], METER);
  using clients = new Clients(server.url, server.ca, ADMIN);
  const both = new Both([child, floorClients], [server.child, clients]);
  await both.warmUp();
  const first = await both.rounds(Object.keys(VERBS), ENOUGH_MS);
  const over = Object.keys(first).filter((name) => isOver(budgets[name] ?? Infinity, first[name]!));
  const again = over.length > 0 ? await both.rounds(over, ENOUGH_MS) : {};
  child.disconnect();
  return { ...first, ...again };
}

const mode = process.argv[2];
if (mode !== undefined && mode !== "--check" && mode !== "--record") {
  console.error(`Expected --check or --record, or neither, got ${mode}`);
  process.exit(2);
}
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
