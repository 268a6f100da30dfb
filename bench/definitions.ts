/**
 * From a definition to its first object, over the network, with the store on disk: until the definition is answered, until a watch or
 * a poll shows it Established, and until an object of it, sent only then, is answered 201; each in ms since the definition was sent. One
 * definition has one field, the other 200 of them and some rules in CEL. Both come to a server without definitions, and to one
 * that has many. One JSON line per case: the middle of all rounds, the worst whole time, CPU of the server for each round.
 *
 *     node bench/definitions.ts [definitions that are there] [rounds] [options of the server ...]
 *
 * The figure to keep is 50 ms in the middle for the whole.
 *
 * @module
 */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Http2Client, Keelson, Scratch } from "../test/serve/keelson.ts";

const [present = "100", rounds = "20", ...options] = process.argv.slice(2);
const PRESENT = Number(present);
const ROUNDS = Number(rounds);
const GROUP = "bench.example.com";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const scratch = new Scratch();
const directory = scratch.fresh();
const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", "--dialect", "kubernetes", ...options]);
const client = await Http2Client.connect(keelson, directory);

const TINY = { type: "object", properties: { text: { type: "string" } } };

/** Twenty parts of ten fields each, with a rule for one in four of them. */
const MIDDLE = {
  type: "object",
  properties: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`part${i}`, part(i)])),
};

function part(i: number): object {
  const rules = [
    { rule: "!has(self.number0) || self.number0 <= self.number1", message: "number0 must not be above number1" },
    { rule: "!has(self.list) || self.list.all(one, one.size() < 20)", message: "no text of the list may be long" },
  ];
  const named = (name: string, schema: object): object =>
    Object.fromEntries([0, 1, 2].map((n) => [`${name}${n}`, { ...schema, description: `The ${name} of part ${i}.` }]));
  return {
    type: "object",
    properties: {
      ...named("text", { type: "string", maxLength: 100, pattern: "^[a-z0-9]*$" }),
      ...named("number", { type: "integer", minimum: 0, default: i }),
      ...named("choice", { type: "string", enum: ["one", "two", "three"] }),
      list: { type: "array", maxItems: 10, items: { type: "string", maxLength: 50 } },
    },
    ...(i % 4 === 0 ? { "x-kubernetes-validations": rules } : {}),
  };
}

const namesOf = (plural: string): Readonly<Record<"plural" | "singular" | "kind" | "listKind", string>> => {
  const singular = plural.slice(0, -1);
  const kind = singular[0]!.toUpperCase() + singular.slice(1);
  return { plural, singular, kind, listKind: `${kind}List` };
};

const definition = (plural: string, spec: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: namesOf(plural),
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec, status: { type: "object" } } } },
      },
    ],
  },
});

interface Seen {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const isEstablished = ({ status }: Seen): boolean =>
  status?.conditions?.some((one) => one.type === "Established" && one.status === "True") === true;

const waiting = new Map<string, () => void>();
const watching = client.open("GET", `${DEFINITIONS}?watch=1`);
createInterface({ input: watching }).on("line", (line) => {
  const { object } = JSON.parse(line) as { object: Seen };
  if (isEstablished(object)) waiting.get(object.metadata.name)?.();
});

/** How a client waits for a definition to be established. */
const WAITS: Readonly<Record<string, (name: string) => Promise<void>>> = {
  watch: (name) => new Promise((resolve) => waiting.set(name, resolve)),
  async poll(name) {
    while (!isEstablished((await client.done("GET", `${DEFINITIONS}/${name}`)) as Seen)) await sleep(1);
  },
};

/** Milliseconds until the definition was answered, until it was established and until its first object was answered. */
async function once(plural: string, spec: object, wait: string): Promise<readonly number[]> {
  const url = `/apis/${GROUP}/v1/namespaces/default/${plural}`;
  const body = definition(plural, spec);
  const object = { apiVersion: `${GROUP}/v1`, kind: namesOf(plural).kind, metadata: { name: "first" }, spec: {} };
  const began = performance.now();
  const since = (): number => performance.now() - began;
  const seen = wait === "watch" ? WAITS[wait]!(`${plural}.${GROUP}`) : undefined;
  await client.done("POST", DEFINITIONS, body);
  const made = since();
  await (seen ?? WAITS[wait]!(`${plural}.${GROUP}`));
  const established = since();
  await client.done("POST", url, object);
  return [made, established, since()];
}

let count = 0;

async function measure(schema: "tiny" | "middle", wait: string): Promise<void> {
  const there = count;
  await sleep(200);
  const cpu = keelson.cpuMillis;
  const all: (readonly number[])[] = [];
  for (let i = 0; i < ROUNDS; i++)
    all.push(await once(`${schema}${count++}s`, schema === "tiny" ? TINY : MIDDLE, wait));
  const cpuMillisEach = Number(((keelson.cpuMillis - cpu) / ROUNDS).toFixed(1));
  const at = (step: number, place: number): number =>
    Number(
      all
        .map((times) => times[step]!)
        .toSorted((a, b) => a - b)
        [place]!.toFixed(1),
    );
  const middle = Math.floor(ROUNDS / 2);
  const [created, established, object] = [at(0, middle), at(1, middle), at(2, middle)];
  const first = Number(all[0]![2]!.toFixed(1));
  const line = { case: schema, wait, there, created, established, object, first, worst: at(2, ROUNDS - 1) };
  process.stdout.write(`${JSON.stringify({ ...line, cpuMillisEach })}\n`);
}

const cases = async (): Promise<void> => {
  for (const wait of Object.keys(WAITS)) for (const schema of ["middle", "tiny"] as const) await measure(schema, wait);
};

await cases();
for (; count < PRESENT; count++) await client.done("POST", DEFINITIONS, definition(`present${count}s`, MIDDLE));
await cases();
client.session.destroy();
await keelson.stop();
scratch.remove();
