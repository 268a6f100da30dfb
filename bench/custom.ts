/**
 * What custom resources cost in process: their definitions, and their objects beside ConfigMaps of the same size.
 *
 * - `definition to object`: from the POST of a definition to the first object that is taken.
 * - `definitions`: CPU and resident memory of each of many definitions of 30 fields, all in one group; then how long
 *   discovery and OpenAPI of that group take after one of them has changed.
 * - verbs: CPU of a verb over a custom object and over a ConfigMap, 1 KiB each, asked in turns.
 *
 *     node --expose-gc bench/custom.ts [definitions, separated by commas] [seconds per verb] [verbs, a regular expression]
 *
 * @module
 */
import { alwaysAllow } from "../src/auth/admin.ts";
import { setTimeout as pause } from "node:timers/promises";
import { kubernetes } from "../src/meta/dialect.ts";
import { createCluster } from "../src/cluster/index.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { kitPlugins } from "../src/testing/plugins.ts";

const COUNTS = (process.argv[2] ?? "200,1000")
  .split(",")
  .map(Number)
  .filter((count) => count > 0);
const SECONDS = Number(process.argv[3] ?? 1);
const ONLY = new RegExp(process.argv[4] ?? "");
const OBJECTS = 1000;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Ask {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** Answers the code and the bytes. */
type Answerer = (ask: Ask) => Promise<{ readonly code: number; readonly bytes: Buffer }>;

async function keelson(): Promise<Answerer> {
  const { server } = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    plugins: kitPlugins(),
    authorizer: () => alwaysAllow,
  });
  const identity = { user: "bench", groups: ["system:masters"] };
  return async ({ method, url, body, type = "application/json" }) => {
    const sent = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const headers = { "user-agent": "bench/1.0", ...(sent === undefined ? {} : { "content-type": type }) };
    const answer = await server.inject({
      method,
      url,
      headers,
      identity,
      ...(sent === undefined ? {} : { body: sent }),
    });
    return { code: answer.code, bytes: await answer.bytes() };
  };
}

async function sure(ask: Answerer, request: Ask): Promise<Buffer> {
  const { code, bytes } = await ask(request);
  if (code >= 300) throw new Error(`${request.method} ${request.url}: ${code} ${bytes.toString()}`);
  return bytes;
}

/** A definition with a schema of thirty fields, some of each sort. */
function definition(plural: string, group = "bench.example.com"): unknown {
  const texts = Array.from({ length: 12 }, (_, i) => [
    `text${i}`,
    { type: "string", maxLength: 100, description: "A text." },
  ]);
  const numbers = Array.from({ length: 8 }, (_, i) => [`number${i}`, { type: "integer", minimum: 0, default: i }]);
  const nested = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`member${i}`, { type: "boolean" }])),
  };
  const spec = {
    type: "object",
    required: ["text0"],
    properties: {
      ...Object.fromEntries([...texts, ...numbers]),
      nested,
      list: { type: "array", items: { type: "string" } },
      map: { type: "object", additionalProperties: { type: "string" } },
    },
  };
  const kind = plural[0]!.toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec, status: { type: "object", properties: { phase: { type: "string" } } } },
            },
          },
        },
      ],
    },
  };
}

const object = (kind: string, i: number): unknown => ({
  apiVersion: "bench.example.com/v1",
  kind,
  metadata: { name: `o-${i}`, namespace: "default" },
  spec: { text0: "x" },
});

async function firstObject(ask: Answerer, round: number): Promise<number> {
  const plural = `firsts${round}s`;
  const url = `/apis/bench.example.com/v1/namespaces/default/${plural}`;
  const begin = performance.now();
  await sure(ask, { method: "POST", url: DEFINITIONS, body: definition(plural) });
  const body = object(`Firsts${round}`, 0);
  for (;;) {
    const { code } = await ask({ method: "POST", url, body });
    if (code === 201) return performance.now() - begin;
    if (code !== 404) throw new Error(`expected 201 or 404 for an object of a new kind, got ${code}`);
    await pause(0);
  }
}

const gc = (globalThis as { gc?: () => void }).gc ?? (() => {});
async function resident(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    gc();
    await pause(50);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return process.argv.includes("--rss") ? rss : heapUsed + external;
}

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

async function established(ask: Answerer, name: string): Promise<void> {
  for (;;) {
    const bytes = await sure(ask, { method: "GET", url: `${DEFINITIONS}/${name}` });
    const { status } = JSON.parse(bytes.toString()) as { status?: { conditions?: { type: string; status: string }[] } };
    if (status?.conditions?.some((one) => one.type === "Established" && one.status === "True")) return;
    await pause(1);
  }
}

async function definitions(count: number): Promise<void> {
  const ask = await keelson();
  for (let i = 0; i < 20; i++)
    await sure(ask, { method: "POST", url: DEFINITIONS, body: definition(`warms${i}s`, "warm.example.com") });
  await established(ask, "warms19s.warm.example.com");
  await pause(200);
  const bytes = await resident();
  const cpu = process.cpuUsage();
  for (let i = 0; i < count; i++) await sure(ask, { method: "POST", url: DEFINITIONS, body: definition(`kinds${i}s`) });
  await established(ask, `kinds${count - 1}s.bench.example.com`);
  await pause(200);
  const spent = cpuMs(cpu);
  const grown = (await resident()) - bytes;
  const line: Record<string, unknown> = {
    definitions: count,
    cpuMsEach: round(spent / count),
    kibEach: round(grown / count / 1024),
  };
  const paths = {
    discovery: "/apis/bench.example.com/v1",
    aggregated: "/apis",
    openapi: "/openapi/v3/apis/bench.example.com/v1",
  };
  const times: Record<string, number[]> = {};
  for (let turn = 0; turn < 6; turn++) {
    await sure(ask, {
      method: "PATCH",
      url: `${DEFINITIONS}/kinds7s.bench.example.com`,
      type: "application/merge-patch+json",
      body: { spec: { names: { shortNames: [`k${turn}`] } } },
    });
    await pause(20);
    for (const [name, url] of Object.entries(paths)) {
      const begin = performance.now();
      await sure(ask, { method: "GET", url });
      // The first makes what all others keep.
      if (turn > 0) (times[name] ??= []).push(performance.now() - begin);
    }
  }
  for (const [name, all] of Object.entries(times)) line[`${name}Ms`] = round(median(all));
  console.log(JSON.stringify(line));
}

const PAD = "x".repeat(800);
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const PADDED = "/apis/bench.example.com/v1/namespaces/default/paddeds";
const padded = (isCustom: boolean, i: number, value: string, resourceVersion?: string): unknown => ({
  ...(isCustom ? { apiVersion: "bench.example.com/v1", kind: "Padded" } : { apiVersion: "v1", kind: "ConfigMap" }),
  metadata: {
    name: `o-${i}`,
    namespace: "default",
    labels: { app: "bench", part: String(i % 100) },
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  },
  [isCustom ? "spec" : "data"]: { pad: PAD, value },
});

function paddedDefinition(): unknown {
  const made = definition("paddeds") as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }[] };
  };
  made.spec.versions[0]!.schema.openAPIV3Schema.properties["spec"] = {
    type: "object",
    properties: { pad: { type: "string" }, value: { type: "string" } },
  };
  return made;
}

const random = (() => {
  let state = 1;
  return (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
})();

/** The i-th request of a verb; `last` is the resourceVersion that the answer before had. */
type Verb = (isCustom: boolean, i: number, last: string) => Ask;

const VERBS: Readonly<Record<string, Verb>> = {
  create: (isCustom, i) => ({
    method: "POST",
    url: isCustom ? PADDED : CONFIG_MAPS,
    body: padded(isCustom, OBJECTS + i, "new"),
  }),
  get: (isCustom) => ({ method: "GET", url: `${isCustom ? PADDED : CONFIG_MAPS}/o-${random(OBJECTS)}` }),
  update: (isCustom, i, last) => ({
    method: "PUT",
    url: `${isCustom ? PADDED : CONFIG_MAPS}/o-0`,
    body: padded(isCustom, 0, `u${i}`, last),
  }),
  patch: (isCustom, i) => ({
    method: "PATCH",
    url: `${isCustom ? PADDED : CONFIG_MAPS}/o-${random(OBJECTS)}`,
    type: "application/merge-patch+json",
    body: `{"${isCustom ? "spec" : "data"}":{"value":"p${i}"}}`,
  }),
  apply: (isCustom, i) => ({
    method: "PATCH",
    url: `${isCustom ? PADDED : CONFIG_MAPS}/o-${random(OBJECTS)}?fieldManager=bench&force=true`,
    type: "application/apply-patch+yaml",
    body: {
      ...(isCustom ? { apiVersion: "bench.example.com/v1", kind: "Padded" } : { apiVersion: "v1", kind: "ConfigMap" }),
      [isCustom ? "spec" : "data"]: { value: `a${i}` },
    },
  }),
};

async function verbs(): Promise<void> {
  const ask = await keelson();
  await sure(ask, { method: "POST", url: DEFINITIONS, body: paddedDefinition() });
  await established(ask, "paddeds.bench.example.com");
  for (let i = 0; i < OBJECTS; i++) {
    await sure(ask, { method: "POST", url: CONFIG_MAPS, body: padded(false, i, "first") });
    await sure(ask, { method: "POST", url: PADDED, body: padded(true, i, "first") });
  }
  let next = 0;
  for (const [name, verb] of Object.entries(VERBS).filter(([one]) => ONLY.test(one))) {
    const run = async (isCustom: boolean, seconds: number): Promise<number> => {
      let last = versionIn(await sure(ask, { method: "GET", url: `${isCustom ? PADDED : CONFIG_MAPS}/o-0` }));
      const [begin, cpu, first] = [performance.now(), process.cpuUsage(), next];
      do last = versionIn(await sure(ask, verb(isCustom, next++, last)));
      while (performance.now() - begin < seconds * 1000);
      return (cpuMs(cpu) * 1000) / (next - first);
    };
    const times: { readonly custom: number[]; readonly builtIn: number[] } = { custom: [], builtIn: [] };
    for (const isCustom of [true, false]) await run(isCustom, SECONDS / 2);
    for (let turn = 0; turn < 5; turn++) {
      times.custom.push(await run(true, SECONDS / 2));
      times.builtIn.push(await run(false, SECONDS / 2));
    }
    const [custom, builtIn] = [median(times.custom), median(times.builtIn)];
    console.log(
      JSON.stringify({
        verb: name,
        micros: round(custom),
        configMapMicros: round(builtIn),
        ratio: round(custom / builtIn),
      }),
    );
  }
}

const versionIn = (bytes: Buffer): string => {
  const at = bytes.indexOf('"resourceVersion":"') + 19;
  return bytes.toString("latin1", at, bytes.indexOf('"', at));
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const round = (value: number): number => Math.round(value * 100) / 100;

const ask = await keelson();
const firsts: number[] = [];
for (let i = 0; i < 20; i++) firsts.push(await firstObject(ask, i));
console.log(JSON.stringify({ "definition to object": { coldMs: round(firsts[0]!), medianMs: round(median(firsts)) } }));
for (const count of COUNTS) await definitions(count);
await verbs();
process.exit(0);
