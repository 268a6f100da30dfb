/**
 * What each verb costs in process, against a bare handler of the same requests.
 *
 * Both are asked through the in-process transport, so sockets, TLS and the disk cost nothing here: what is measured is
 * the server's own work. The bare handler does what no server can leave out: it reads the JSON of a body, keeps the
 * text, and answers it. `CPU` is that of the whole process; the ratio is the figure to compare between two runs.
 *
 *     node bench/verbs.ts [objects] [seconds per verb]
 *
 * @module
 */
import { alwaysAllow } from "../src/auth/admin.ts";
import { neutral } from "../src/meta/dialect.ts";
import { createCluster } from "../src/cluster/index.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";

const OBJECTS = Number(process.argv[2] ?? 10_000);
const SECONDS = Number(process.argv[3] ?? 2);
const BASE = "/api/v1/namespaces/default/configmaps";
const PAD = "x".repeat(900);
const PATCH = "application/merge-patch+json";
const APPLY = "application/apply-patch+yaml";

/** A request as both take it. */
interface Ask {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly type?: string;
}

type Answerer = (ask: Ask) => Promise<number>;

/** The server, over the memory store. */
async function keelson(): Promise<Answerer> {
  const { server } = await createCluster({
    store: await openMemoryStore(),
    dialect: neutral,
    authorizer: () => alwaysAllow,
  });
  const identity = { user: "bench", groups: ["system:masters"] };
  return async ({ method, url, body, type = "application/json" }) => {
    const headers = { "user-agent": "bench/1.0", ...(body === undefined ? {} : { "content-type": type }) };
    const answer = await server.inject({ method, url, headers, identity, ...(body === undefined ? {} : { body }) });
    const bytes = await answer.bytes();
    if (answer.code >= 300) throw new Error(`${method} ${url}: ${answer.code} ${bytes.toString()}`);
    return bytes.length;
  };
}

/** What no server can leave out: the JSON in, a version, the JSON out. */
function bareHandler(): Answerer {
  const kept = new Map<string, Buffer>();
  let version = 0;
  const keep = (key: string, value: { metadata: Record<string, unknown> }): number => {
    value.metadata["resourceVersion"] = String(++version);
    const bytes = Buffer.from(JSON.stringify(value));
    kept.set(key, bytes);
    return bytes.length;
  };
  return async ({ method, url, body }) => {
    const [path, query] = url.split("?") as [string, string?];
    const sent = body === undefined ? undefined : JSON.parse(body);
    if (method === "POST") return keep(`${path}/${sent.metadata.name}`, sent);
    if (method === "PUT") return keep(path, sent);
    if (method === "PATCH") {
      const old = JSON.parse(kept.get(path)?.toString() ?? '{"metadata":{}}');
      return keep(path, { ...old, ...sent, metadata: { ...old.metadata, ...sent.metadata } });
    }
    if (method === "DELETE") return kept.delete(path) ? 2 : 0;
    if (path !== BASE) return Buffer.from(kept.get(path)!).length;
    const limit = Number(/limit=(\d+)/.exec(query ?? "")?.[1] ?? Infinity);
    const page: Buffer[] = [];
    for (const bytes of kept.values()) {
      if (page.length >= limit) break;
      page.push(bytes);
    }
    return Buffer.concat(page).length;
  };
}

const nameOf = (i: number): string => `c-${String(i).padStart(7, "0")}`;
const object = (i: number, value: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: nameOf(i), namespace: "default", labels: { app: "bench", part: String(i % 100) } },
    data: { pad: PAD, value },
  });

/** The i-th request of a verb. */
type Verb = (i: number) => Ask;

const random = (() => {
  // A fixed sequence: both are asked the same.
  let state = 1;
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
})();
const some = (): string => `${BASE}/${nameOf(random(OBJECTS))}`;

const VERBS: Readonly<Record<string, Verb>> = {
  create: (i) => ({ method: "POST", url: BASE, body: object(OBJECTS + i, "new") }),
  get: () => ({ method: "GET", url: some() }),
  update: (i) => {
    const at = random(OBJECTS);
    return { method: "PUT", url: `${BASE}/${nameOf(at)}`, body: object(at, `u${i}`) };
  },
  patch: (i) => ({ method: "PATCH", url: some(), type: PATCH, body: `{"data":{"value":"p${i}"}}` }),
  apply: (i) => ({
    method: "PATCH",
    url: `${some()}?fieldManager=bench&force=true`,
    type: APPLY,
    body: `{"apiVersion":"v1","kind":"ConfigMap","data":{"applied":"a${i}"}}`,
  }),
  "page of 100": () => ({ method: "GET", url: `${BASE}?limit=100` }),
  "list of all": () => ({ method: "GET", url: BASE }),
};

async function measure(ask: Answerer, verb: Verb): Promise<number> {
  let i = offset;
  const repeat = async (seconds: number): Promise<number> => {
    const begin = performance.now();
    const first = i;
    do await ask(verb(i++));
    while (performance.now() - begin < seconds * 1000);
    return i - first;
  };
  await repeat(SECONDS / 4);
  const cpu = process.cpuUsage();
  const times = await repeat(SECONDS);
  const { user, system } = process.cpuUsage(cpu);
  offset = i;
  return (user + system) / times;
}

let offset = 0;
const server = await keelson();
const bare = bareHandler();
for (let i = 0; i < OBJECTS; i++) {
  const ask = { method: "POST", url: BASE, body: object(i, "first") };
  await Promise.all([server(ask), bare(ask)]);
}
for (const [name, verb] of Object.entries(VERBS)) {
  const floor = await measure(bare, verb);
  const ours = await measure(server, verb);
  const line = {
    verb: name,
    objects: OBJECTS,
    micros: round(ours),
    bareMicros: round(floor),
    ratio: round(ours / floor),
  };
  console.log(JSON.stringify(line));
}
process.exit(0);

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
