/**
 * What policies cost a write, in CPU of this process: 100 of them that are about other resources, a validating policy of three
 * expressions, and a mutating policy that sets a label.
 *
 * Requests come through the in-process transport, one after the other, to a store in memory. The cases take turns; the best of
 * several rounds counts.
 *
 *     node bench/policies.ts [requests per round] [rounds]
 *
 * @module
 */
import { openWrites } from "./admission.ts";

const POLICIES = 100;
const GROUP = "admissionregistration.k8s.io";

const EXPRESSIONS = [
  "object.data.size() < 10",
  "object.metadata.name.startsWith('a')",
  "!has(object.metadata.labels) || object.metadata.labels.all(key, key != 'forbidden')",
];

const validating = {
  version: "v1",
  sort: "Validating",
  spec: { validations: EXPRESSIONS.map((e) => ({ expression: e })) },
};
const mutating = {
  version: "v1beta1",
  sort: "Mutating",
  spec: {
    reinvocationPolicy: "Never",
    mutations: [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'by': 'policy'}}}" },
      },
    ],
  },
};

/** Policies of one sort. */
interface Policies {
  readonly count: number;
  readonly resource: string;
  readonly form: typeof validating | typeof mutating;
}

const open = ({ count, resource, form }: Policies): Promise<() => Promise<void>> =>
  openWrites(async (send) => {
    const resourceRules = [
      { operations: ["CREATE", "UPDATE"], apiGroups: ["*"], apiVersions: ["*"], resources: [resource] },
    ];
    const { version, sort, spec } = form;
    const root = `/apis/${GROUP}/${version}/${sort.toLowerCase()}admissionpolic`;
    for (let i = 0; i < count; i++) {
      const head = { apiVersion: `${GROUP}/${version}`, metadata: { name: `p${i}` } };
      const policy = { ...spec, matchConstraints: { resourceRules } };
      await send("POST", `${root}ies`, { ...head, kind: `${sort}AdmissionPolicy`, spec: policy });
      const actions = form === validating ? { validationActions: ["Deny"] } : {};
      const bound = { policyName: `p${i}`, ...actions };
      await send("POST", `${root}ybindings`, { ...head, kind: `${sort}AdmissionPolicyBinding`, spec: bound });
    }
  });

async function measure(requests: number, rounds: number): Promise<void> {
  const cases = new Map([
    ["no policy", await open({ count: 0, resource: "widgets", form: validating })],
    [
      `${POLICIES} policies about other resources`,
      await open({ count: POLICIES, resource: "widgets", form: validating }),
    ],
    ["1 validating policy of three expressions", await open({ count: 1, resource: "configmaps", form: validating })],
    ["1 mutating policy", await open({ count: 1, resource: "configmaps", form: mutating })],
  ]);
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, write] of cases) {
      const before = process.cpuUsage();
      for (let i = 0; i < requests; i++) await write();
      const { user, system } = process.cpuUsage(before);
      best.set(name, Math.min(best.get(name) ?? Infinity, (user + system) / requests));
    }
  }
  const floor = best.get("no policy")!;
  for (const [name, micros] of best) console.log(`${micros.toFixed(1)} us  +${(micros - floor).toFixed(1)}  ${name}`);
}

await measure(Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 7));
process.exit(0);
