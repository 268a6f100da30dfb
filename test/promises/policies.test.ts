/** No policy and no webhook holds the event loop, however long their expressions are: they are compiled in slices, or in another thread. */
import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { type Manifest, applyDocuments } from "../../src/client/index.ts";
import { createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { expectNoLongSlice } from "../../src/util/testing/slices.ts";

const GROUP = "admissionregistration.k8s.io";

/** An expression that is true, of at most so many characters. */
function long(characters: number, part = "object.metadata.name != 'x'"): string {
  const count = Math.floor((characters + 4) / (part.length + 4));
  return Array.from({ length: count }, () => part).join(" && ");
}

/** The longest expression that there may be, in forms that take longest to parse, to check and to plan. */
const LONGEST = [
  long(99_000),
  long(99_000, "[1].all(y, y > 0)"),
  long(99_000, "[1].map(x, true, x) == [1]"),
  `[${"1,".repeat(49_000)}1].size() > 0`,
];

const constraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
};

const validating = (spec: object): Manifest[] => [
  {
    apiVersion: `${GROUP}/v1`,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: { matchConstraints: constraints, validations: [{ expression: "true" }], ...spec },
  },
  {
    apiVersion: `${GROUP}/v1`,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "p" },
    spec: { policyName: "p", validationActions: ["Deny"] },
  },
];

const mutating = (spec: object): Manifest[] => [
  {
    apiVersion: `${GROUP}/v1beta1`,
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: {
      matchConstraints: constraints,
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "JSONPatch",
          jsonPatch: { expression: `[JSONPatch{op: "add", path: "/data", value: {"k": "v"}}]` },
        },
      ],
      ...spec,
    },
  },
  {
    apiVersion: `${GROUP}/v1beta1`,
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "p" },
    spec: { policyName: "p" },
  },
];

const conditions = (...expressions: readonly string[]) =>
  expressions.map((expression, i) => ({ name: `c${i}`, expression }));

/** Webhooks that are never called, at an address where no server listens. */
const webhooks = (...all: readonly (readonly string[])[]): Manifest[] => [
  {
    apiVersion: `${GROUP}/v1`,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "p" },
    webhooks: all.map((expressions, i) => ({
      name: `w${i}.example.com`,
      clientConfig: { url: "https://127.0.0.1:1/" },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      matchConditions: conditions(...expressions, "false"),
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    })),
  },
];

describe("the first request after a policy or a webhook is written", () => {
  test.each<[string, Manifest[]]>([
    ...LONGEST.map((one, i): [string, Manifest[]] => [
      `with match conditions of the greatest length, form ${i + 1}`,
      validating({ matchConditions: conditions(one) }),
    ]),
    [
      "with many match conditions",
      validating({ matchConditions: conditions(...Array.from({ length: 64 }, () => long(4900))) }),
    ],
    [
      "with many long match conditions",
      validating({ matchConditions: conditions(...Array.from({ length: 15 }, () => long(90_000))) }),
    ],
    ["with a validation of the greatest length", validating({ validations: [{ expression: LONGEST[0] }] })],
    [
      "that mutates, with a match condition of the greatest length",
      mutating({ matchConditions: conditions(LONGEST[1]!) }),
    ],
    [
      "that mutates, with many match conditions",
      mutating({ matchConditions: conditions(...Array.from({ length: 64 }, () => long(4900))) }),
    ],
    ["of a webhook, with a match condition of the greatest length", webhooks([LONGEST[3]!])],
    [
      "of webhooks, with many match conditions",
      webhooks(...Array.from({ length: 4 }, () => Array.from({ length: 63 }, () => long(4900)))),
    ],
  ])("%s has no long slice", { timeout: 120_000 }, async (_, manifests) => {
    await using cluster = await createCluster({
      store: await openMemoryStore(),
      dialect: kubernetes,
      gates: gatesOf(kubernetes, { MutatingAdmissionPolicy: true }),
    });
    const client = cluster.client("test");
    let made = 0;
    const prepare = async (): Promise<void> => {
      const anew = manifests.map((one) => ({ ...one, metadata: { ...one.metadata, labels: { at: `a${made}` } } }));
      const { outcome } = await applyDocuments(client, anew, { fieldManager: "test" });
      expect(outcome).toBe("committed");
    };
    await expectNoLongSlice(prepare, async () => {
      const metadata = { name: `m${made++}`, namespace: "default" };
      expect(await client.resource(ConfigMap).create({ metadata })).toMatchObject({ metadata });
    });
  });
});
