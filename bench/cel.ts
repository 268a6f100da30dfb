/**
 * What rules in CEL cost: to compile with types checked and cost estimated, and to evaluate over an object of ten members.
 *
 *     node bench/cel.ts [milliseconds per figure]
 *
 * @module
 */
import { allFunctions } from "../src/cel/library/index.ts";
import { compile } from "../src/cel/program.ts";
import { type Schema, declare, sizeBelow } from "../src/cel/schema/declaration.ts";
import { viewOf } from "../src/cel/schema/views.ts";
import { Failure } from "../src/cel/values.ts";
import type { Value } from "../src/value/value.ts";

const MS = Number(process.argv[2] ?? 300);

const text: Schema = { type: "string", maxLength: 100 };
const whole: Schema = { type: "integer" };
const schema: Schema = {
  type: "object",
  properties: {
    replicas: whole,
    minReplicas: whole,
    maxReplicas: whole,
    name: text,
    phase: text,
    limit: text,
    at: { type: "string", format: "date-time" },
    numbers: { type: "array", maxItems: 100, items: whole },
    ports: {
      type: "array",
      maxItems: 100,
      items: { type: "object", properties: { name: text, port: whole, protocol: text } },
    },
    labels: { type: "object", maxProperties: 10, additionalProperties: text },
    few: { type: "array", maxItems: 30, items: text },
  },
};
const object: Value = {
  replicas: 3,
  minReplicas: 1,
  maxReplicas: 5,
  name: "web-frontend",
  phase: "Running",
  limit: "500Mi",
  at: "2026-01-01T00:00:00Z",
  numbers: Array.from({ length: 100 }, (_, i) => i + 1),
  ports: Array.from({ length: 100 }, (_, i) => ({ name: `p${i}`, port: 8000 + i, protocol: "TCP" })),
  labels: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key${i}`, `value${i}`])),
  few: Array.from({ length: 30 }, (_, i) => `item-${i}`),
};
const before = { ...object, replicas: 2 };

const RULES: Readonly<Record<string, string>> = {
  "one comparison": "self.replicas <= self.maxReplicas",
  "three comparisons":
    "self.replicas <= self.maxReplicas && self.replicas >= self.minReplicas && self.minReplicas >= 0",
  has: "!has(self.phase) || has(self.name)",
  "in constants": "self.phase in ['Pending', 'Running', 'Done']",
  "all of 100": "self.numbers.all(x, x > 0)",
  "exists in 100 objects": "self.ports.exists(p, p.port == 8099)",
  "unique, 30 x 30": "self.few.all(a, self.few.exists_one(b, a == b))",
  "filter and map, 100": "self.ports.filter(p, p.port > 8010).map(p, p.name).size() > 0",
  "labels, 10": "self.labels.all(k, k.startsWith('key') && self.labels[k] != '')",
  matches: "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
  texts: "self.name.startsWith('web') && self.name.size() < 63 && !self.name.contains('_')",
  transition: "self.replicas >= oldSelf.replicas || self.replicas == 0",
  quantity: "quantity(self.limit).compareTo(quantity('1Gi')) < 0",
  format: "'%s-%d'.format([self.name, self.replicas]) != ''",
  time: "self.at > timestamp('2020-01-01T00:00:00Z')",
};

const declaration = declare(schema, false)!;
const variables = new Map([
  ["self", declaration.type],
  ["oldSelf", declaration.type],
]);
const functions = allFunctions();
const compiled = (source: string) => {
  const { program, error } = compile(source, { functions, variables, sizeAt: (path) => sizeBelow(declaration, path) });
  if (!program) throw new Error(error);
  void program.cost;
  return program;
};

/** Nanoseconds of CPU of one turn, the best of five. */
function best(turn: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 6; round++) {
    let times = 0;
    const [begin, cpu] = [performance.now(), process.cpuUsage()];
    do {
      for (let i = 0; i < 20; i++) turn();
      times += 20;
    } while (performance.now() - begin < MS / 6);
    const { user, system } = process.cpuUsage(cpu);
    if (round > 0) least = Math.min(least, ((user + system) * 1000) / times);
  }
  return least;
}

for (const [name, source] of Object.entries(RULES)) {
  const program = compiled(source);
  const { value } = program.run([viewOf(object, declaration), viewOf(before, declaration)], 10_000_000);
  if (value instanceof Failure || value !== true) throw new Error(`${name}: expected true`);
  const compileNs = best(() => compiled(source));
  const runNs = best(() => program.run([viewOf(object, declaration), viewOf(before, declaration)]));
  console.log(
    JSON.stringify({ rule: name, compileMicros: Math.round(compileNs / 100) / 10, runNanos: Math.round(runNs) }),
  );
}
