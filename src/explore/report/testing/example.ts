/**
 * A finding with its runs, written by hand: an operator makes a Secret and a ConfigMap of a Widget, and makes no ConfigMap where it
 * finds the Secret.
 *
 * @module
 */
import type { Finding } from "../../contract/finding.ts";
import type { StoredObject } from "../../contract/state.ts";
import type { ChangeEntry, Trace, TraceEntry } from "../../contract/trace.ts";
import type { Evidence } from "../finding-report.ts";

type WithoutSeq<T> = T extends unknown ? Omit<T, "seq"> : never;

/** Numbers the entries of a trace. */
export const traceOf = (...entries: readonly WithoutSeq<TraceEntry>[]): Trace =>
  entries.map((entry, seq) => ({ ...entry, seq }));

const ACTOR = "operator";
const NAMESPACE = "default";
const object = (kind: string, name: string) => ({
  group: kind === "Widget" ? "x.io" : "",
  kind,
  namespace: NAMESPACE,
  name,
});

export const stored = (kind: string, name: string, revision: number, more: object = {}): StoredObject => ({
  apiVersion: kind === "Widget" ? "x.io/v1" : "v1",
  kind,
  metadata: {
    name,
    namespace: NAMESPACE,
    uid: `uid-${kind}-${name}`,
    resourceVersion: String(revision),
    creationTimestamp: "2030-01-01T00:00:00Z",
    managedFields: [
      {
        manager: ACTOR,
        operation: "Update",
        apiVersion: "v1",
        time: "2030-01-01T00:00:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { ".": {}, "f:crt": {}, "f:size": {} } },
      },
    ],
  },
  ...more,
});

/** A stored write. */
export const change = (
  actor: string,
  kind: string,
  name: string,
  revision: number,
  more: Partial<ChangeEntry> = {},
): WithoutSeq<ChangeEntry> => ({
  type: "change",
  at: revision,
  actor,
  revision,
  change: "created",
  object: object(kind, name),
  uid: `uid-${kind}-${name}`,
  after: stored(kind, name, revision, { data: { crt: "a" } }),
  ...more,
});

const create = (kind: string, name: string, revision: number, life = 0) =>
  ({
    type: "request",
    at: revision,
    actor: ACTOR,
    life,
    protocol: "api",
    verb: "create",
    object: object(kind, name),
    code: 201,
    changed: true,
    revision,
  }) as const;

const delivery = (kind: string, name: string, revision: number, life = 0) =>
  ({
    type: "delivery",
    at: revision,
    actor: ACTOR,
    life,
    change: "ADDED",
    object: object(kind, name),
    uid: `uid-${kind}-${name}`,
    revision,
  }) as const;

const life = (event: "started" | "killed", at: number, number = 0) =>
  ({ type: "life", at, actor: ACTOR, life: number, event }) as const;

const step = (phase: "begun" | "quiet", at: number) =>
  ({ type: "step", at, step: 0, name: "create Widget default/a", phase }) as const;

const beginning = [
  life("started", 0),
  step("begun", 10),
  change("user", "Widget", "a", 11),
  delivery("Widget", "a", 11),
  change(ACTOR, "Secret", "a-cert", 12),
] as const;

export const clean: Trace = traceOf(
  ...beginning,
  create("Secret", "a-cert", 12),
  delivery("Secret", "a-cert", 12),
  change(ACTOR, "ConfigMap", "a-config", 13, { after: stored("ConfigMap", "a-config", 13, { data: { size: "3" } }) }),
  create("ConfigMap", "a-config", 13),
  delivery("ConfigMap", "a-config", 13),
  step("quiet", 300_000),
);

const { code: _code, revision: _revision, ...lost } = create("Secret", "a-cert", 12);

export const run: Trace = traceOf(
  ...beginning,
  { ...lost, perturbation: 0 },
  life("killed", 12),
  life("started", 1012, 1),
  delivery("Widget", "a", 11, 1),
  delivery("Secret", "a-cert", 12, 1),
  step("quiet", 300_000),
);

export const finding: Finding = {
  format: 1,
  scenario: { name: "widgets", file: "widgets.yaml" },
  command: ["./manager", "--kubeconfig", "{}"],
  seed: 17,
  plan: [
    {
      type: "crash",
      at: {
        actor: ACTOR,
        protocol: "api",
        verb: "create",
        group: "",
        kind: "Secret",
        namespace: NAMESPACE,
        name: "a-cert",
        occurrence: 0,
      },
      when: "after",
      downMillis: 1000,
    },
  ],
  fault: {
    kind: "missing",
    key: "missing|ConfigMap|default/a-config",
    sentence:
      "After operator was killed between its create of Secret default/a-cert and the next write, it never made ConfigMap default/a-config.",
    object: object("ConfigMap", "a-config"),
    expected: 'data:\n  size: "3"\nkind: ConfigMap\n',
    step: 0,
    severity: "fault",
  },
  replayed: { shown: 3, of: 3 },
  versions: { keelson: "0.1.0", node: "24.0.0", platform: "linux" },
};

export const evidence: Evidence = { finding, file: "missing-configmap-a-config.yaml", clean, run };
