/**
 * Policies and params over a store in memory, for tests.
 *
 * @module
 */
import { structOf } from "../../../apply/index.ts";
import type { JsonSchema } from "../../../apply/schema/schema.ts";
import type { Authorizer } from "../../../auth/contract.ts";
import { mastersAuthorizer } from "../../../auth/admin.ts";
import { kubernetes } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import type { Lookup, ObjectName } from "../../../schema/lookup.ts";
import { ManualClock } from "../../../util/clock.ts";
import type { WorkerThreads } from "../../../util/worker-threads.ts";
import { expose } from "../../../util/exposition.ts";
import type { AdmissionRequest, AdmissionStep } from "../../contract.ts";
import { requestOf } from "../../testing/requests.ts";
import type { BindingSpec, MutatingSpec, PolicyKinds, StoredKind, ValidatingSpec } from "../contract.ts";
import { mutatingAdmissionPolicy } from "../mutating-policies.ts";
import type { PolicyParts } from "../parts.ts";
import { PolicyMetrics } from "../policy-metrics.ts";
import { validatingAdmissionPolicy } from "../validating-policies.ts";

const GROUP = "admissionregistration.k8s.io";

/** Stored objects by resource, which a test may change. */
export class TestObjects implements Lookup {
  /** How often all objects of a resource were read. */
  reads = 0;
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #changes: { readonly resource: string; readonly name: ObjectName }[] = [];

  put(resource: string, object: ApiObject): void {
    const objects = this.#of(resource);
    objects.set(keyOf(object.metadata.namespace, object.metadata.name), object);
    this.#changed(resource, object.metadata);
  }

  delete(resource: string, namespace: string, name: string): void {
    this.#of(resource).delete(keyOf(namespace, name));
    this.#changed(resource, { namespace, name });
  }

  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    return this.#of(resource).get(keyOf(namespace, name));
  }

  collect<T>(resource: string, read: (object: ApiObject) => T | undefined): Promise<readonly T[]> {
    this.reads++;
    return Promise.resolve([...this.#of(resource).values()].map(read).filter((one) => one !== undefined));
  }

  first(resource: string, limit: number): readonly ObjectName[] {
    return [...this.#of(resource).values()].slice(0, limit).map(({ metadata }) => nameOf(metadata));
  }

  follow(resource: string): ReturnType<Lookup["follow"]> {
    const changes = this.#changes;
    return {
      get mark() {
        return changes.filter((one) => one.resource === resource).length;
      },
      changedSince: (mark) =>
        changes
          .filter((one) => one.resource === resource)
          .slice(mark)
          .map(({ name }) => name),
    };
  }

  #of(resource: string): Map<string, ApiObject> {
    let objects = this.#objects.get(resource);
    if (!objects) this.#objects.set(resource, (objects = new Map()));
    return objects;
  }

  #changed(resource: string, metadata: ApiObject["metadata"]): void {
    this.#changes.push({ resource, name: nameOf(metadata) });
  }
}

const keyOf = (namespace = "", name = ""): string => `${namespace}/${name}`;
const nameOf = ({ namespace = "", name = "" }: ApiObject["metadata"]): ObjectName => ({ namespace, name });

/** A ConfigMap in the namespace `team`. */
export const configMap = (data: Readonly<Record<string, unknown>>, metadata: object = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "team", ...metadata },
  data,
});

/** The rule of ConfigMaps. */
export const ABOUT_CONFIG_MAPS: NonNullable<ValidatingSpec["matchConstraints"]> = {
  resourceRules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
};

const TEXTS: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: {
      type: "object",
      properties: { name: { type: "string" }, namespace: { type: "string" }, labels: TEXTS, annotations: TEXTS },
    },
    data: TEXTS,
    selector: { ...TEXTS, "x-kubernetes-map-type": "atomic" },
    args: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
    ports: {
      type: "array",
      items: { type: "object", properties: { port: { type: "integer" }, name: { type: "string" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
    },
  },
};

const KINDS: Readonly<Record<string, StoredKind>> = {
  "v1/ConfigMap": { resource: "configmaps", namespaced: true, inVersion: (object) => object },
  "v1/Namespace": { resource: "namespaces", namespaced: false, inVersion: (object) => object },
  "example.com/v1/Limit": {
    resource: "limits.example.com",
    namespaced: true,
    inVersion: (object) => Promise.resolve({ ...object, apiVersion: "example.com/v1" }),
  },
};

const policyKinds: PolicyKinds = {
  storedKind: (apiVersion, kind) => KINDS[`${apiVersion}/${kind}`],
  typeOf: () => structOf(SCHEMA),
};

/** Policies with their steps, over objects that may change. */
export class PolicyTest {
  readonly objects: TestObjects = new TestObjects();
  readonly metrics: PolicyMetrics = new PolicyMetrics();
  readonly notes = new Map<string, string>();
  readonly parts: PolicyParts;
  readonly validatingStep: AdmissionStep;
  readonly mutatingStep: AdmissionStep;

  constructor(authorizer: Authorizer = mastersAuthorizer, threads?: WorkerThreads) {
    this.parts = {
      dialect: kubernetes,
      lookup: this.objects,
      authorizer,
      clock: new ManualClock(),
      policyKinds,
      policyMetrics: this.metrics,
      ...(threads ? { threads } : {}),
    };
    this.validatingStep = validatingAdmissionPolicy(this.parts);
    this.mutatingStep = mutatingAdmissionPolicy(this.parts);
    this.objects.put("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "team", labels: { t: "1" } },
    });
  }

  /** Stores a validating policy and a binding of the same name. */
  validating(
    name: string,
    spec: ValidatingSpec,
    binding: BindingSpec = {},
    annotations: Record<string, string> = {},
  ): void {
    const all = { matchConstraints: ABOUT_CONFIG_MAPS, ...spec };
    this.objects.put(`validatingadmissionpolicies.${GROUP}`, policy("ValidatingAdmissionPolicy", name, all));
    this.bind(name, { policyName: name, validationActions: ["Deny"], ...binding }, annotations);
  }

  /** Stores a binding of a validating policy. */
  bind(name: string, spec: BindingSpec, annotations: Record<string, string> = {}): void {
    const binding = policy("ValidatingAdmissionPolicyBinding", name, spec, annotations);
    this.objects.put(`validatingadmissionpolicybindings.${GROUP}`, binding);
  }

  /** Stores a mutating policy and a binding of the same name. */
  mutating(
    name: string,
    spec: MutatingSpec,
    binding: BindingSpec = {},
    annotations: Record<string, string> = {},
  ): void {
    const all = { matchConstraints: ABOUT_CONFIG_MAPS, ...spec };
    this.objects.put(`mutatingadmissionpolicies.${GROUP}`, policy("MutatingAdmissionPolicy", name, all));
    const bound = policy("MutatingAdmissionPolicyBinding", name, { policyName: name, ...binding }, annotations);
    this.objects.put(`mutatingadmissionpolicybindings.${GROUP}`, bound);
  }

  /** A create of a ConfigMap, with the changes of a test. */
  request(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
    const object = more.object ?? (more.operation === "DELETE" ? undefined : configMap({ k: "v" }));
    const note = (key: string, value: string): void => {
      if (!this.notes.has(key)) this.notes.set(key, value);
    };
    const request: AdmissionRequest = {
      ...requestOf({ lookup: this.objects, note, ...more }),
      replace: (value) => putInPlace(object!, value as never),
      as: () => request,
      ...more,
      object,
    };
    return request;
  }

  /** The decision of the validating step on a request: `ok`, or the code, the reason and the message. */
  async validate(request: AdmissionRequest = this.request()): Promise<string> {
    return outcome(async () => this.validatingStep.validate!(request));
  }

  /** The decision of the mutating step on a request; the step keeps its state between the runs of one request. */
  async mutate(request: AdmissionRequest = this.request()): Promise<string> {
    return outcome(async () => this.mutatingStep.mutate!(request));
  }

  /** The lines of the metrics that have a text. */
  async counted(text: string): Promise<readonly string[]> {
    return expose(await this.metrics.collect())
      .split("\n")
      .filter((line) => line.includes(text) && !line.startsWith("#"));
  }
}

const policy = (kind: string, name: string, spec: object, annotations: Record<string, string> = {}): ApiObject => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name, annotations },
  spec,
});

function putInPlace(object: ApiObject, other: ApiObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, other);
}

async function outcome(work: () => Promise<void>): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    const { code, status } = error as { code: number; status: { reason: string; message: string } };
    if (status === undefined) throw error;
    return `${code} ${status.reason}: ${status.message}`;
  }
}
