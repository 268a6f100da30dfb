import { describe, expect, test } from "vitest";
import { pointer, int32, optional, map, struct, text } from "../../meta/types.ts";
import type { AdmissionStep } from "../../admission/contract.ts";
import { asValue } from "../../schema/api-object.ts";
import type { ApiObject, ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import type { Resource, WriteOptions } from "../contract.ts";
import { APPLY, CALLER, WRITE, bodyOf, named, read, registryOf, widget } from "../testing/registry.ts";

const about = "How many there are.";

/** A Scale as `autoscaling/v1` has it, as far as a test needs one. */
const scale: ResourceDefinition = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  singular: "scale",
  scope: "Cluster",
  description: about,
  schema: objectSchema(about, {
    spec: optional(struct("Wanted.", { replicas: pointer(int32("How many are wanted.")) })),
    status: optional(struct("Seen.", { replicas: pointer(int32("How many there are.")) })),
  }),
  deleteReturns: "object",
};

interface Scaled extends ApiObject {
  spec?: { replicas?: number; colours?: Record<string, string> };
}

const scalable = widget("v1", {
  schema: objectSchema(about, {
    spec: optional(
      struct("Wanted.", { replicas: pointer(int32("How many.")), colours: optional(map(text(), "In which colours.")) }),
    ),
  }),
  generation: "fromOne",
  validateUpdate(object, _old, errors) {
    if (((object as Scaled).spec?.replicas ?? 0) < 0) errors.invalid("spec.replicas", -1, "expected at least 0");
  },
  subresources: {
    scale: {
      verbs: ["get", "patch", "update"],
      takes: scale,
      lens: {
        read: (object) => ({ spec: { replicas: (object as Scaled).spec?.replicas ?? 1 }, status: { replicas: 7 } }),
        write: (object, value) => {
          const { replicas } = (value as Scaled).spec ?? {};
          if (replicas !== undefined) (object as Scaled).spec = { ...(object as Scaled).spec, replicas };
        },
        fields: { "spec.replicas": "spec.replicas" },
      },
    },
  },
});

const SCALE = named("w", "scale");

const scaleBody = (replicas: number, metadata: object = {}) =>
  bodyOf({ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "w", ...metadata }, spec: { replicas } });

async function scaled(...steps: readonly AdmissionStep[]): Promise<Resource> {
  const { kinds } = await registryOf([scalable], { steps });
  const resource = kinds.find("example.com", "v1", "widgets")!;
  const spec = { replicas: 2, colours: { sky: "blue" } };
  const intent = bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec });
  await resource.patch(named("w"), intent, { ...APPLY, fieldManager: "owner" }, CALLER);
  return resource;
}

const showing = async (resource: Resource): Promise<ApiObject> => {
  const entry = await resource.get(SCALE, { resourceVersion: "" });
  expect(JSON.parse(Buffer.from(resource.view(entry)).toString())).toEqual(resource.object(entry));
  return resource.object(entry);
};

const owners = async (resource: Resource): Promise<string[]> =>
  ((await read(resource, "w")).metadata.managedFields ?? []).map(
    ({ manager, operation, apiVersion, subresource = "-", fieldsV1 }) =>
      `${manager} ${operation} ${apiVersion} ${subresource} ${JSON.stringify(fieldsV1)}`,
  );

describe("a subresource that shows an object as another kind", () => {
  test("is read: identity and version of the object, members of the other kind", async () => {
    const resource = await scaled();
    const { metadata } = await read(resource, "w");
    const { name, uid, resourceVersion, creationTimestamp } = metadata;
    expect(await showing(resource)).toEqual({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 7 },
    });
  });

  test("is replaced: only what it stands for changes, under the rules and the generation of the object", async () => {
    const resource = await scaled();
    const { bytes, object } = await resource.update(SCALE, scaleBody(5), WRITE, CALLER);
    expect(object).toMatchObject({ kind: "Scale", spec: { replicas: 5 }, metadata: { resourceVersion: "2" } });
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(object);
    expect(await read(resource, "w")).toMatchObject({
      kind: "Widget",
      metadata: { generation: 2 },
      spec: { replicas: 5, colours: { sky: "blue" } },
    });
    await expect(resource.update(SCALE, scaleBody(-1), WRITE, CALLER)).rejects.toMatchObject({ code: 422 });
    await expect(resource.update(SCALE, scaleBody(6, { resourceVersion: "1" }), WRITE, CALLER)).rejects.toMatchObject({
      code: 409,
    });
    const wrong = bodyOf({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } });
    await expect(resource.update(SCALE, wrong, WRITE, CALLER)).rejects.toMatchObject({ code: 400 });
    await expect(
      resource.update(named("x", "scale"), scaleBody(1, { name: "x" }), WRITE, CALLER),
    ).rejects.toMatchObject({
      code: 404,
    });
  });

  test.each([
    ["merge", { spec: { replicas: 9 } }],
    ["strategic", { spec: { replicas: 9 } }],
    ["json", [{ op: "replace", path: "/spec/replicas", value: 9 }]],
  ] as const)("is patched (%s), and the patch sees the other kind", async (type, patch) => {
    const resource = await scaled();
    const options = { ...(WRITE as WriteOptions), type, force: false };
    const { object } = await resource.patch(SCALE, bodyOf(patch), options, CALLER);
    expect(object).toMatchObject({ kind: "Scale", spec: { replicas: 9 } });
    expect(await read(resource, "w")).toMatchObject({ spec: { replicas: 9, colours: { sky: "blue" } } });
  });

  test("has the owners of what it stands for: an apply conflicts with them, and takes over by force", async () => {
    const resource = await scaled();
    const apply = { ...APPLY, fieldManager: "scaler", force: false };
    await expect(resource.patch(SCALE, scaleBody(3), apply, CALLER)).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining("owner") as string,
    });
    await resource.patch(SCALE, scaleBody(3), { ...apply, force: true }, CALLER);
    expect((await read(resource, "w"))["spec"]).toEqual({ replicas: 3, colours: { sky: "blue" } });
    expect((await owners(resource)).toSorted()).toEqual([
      'owner Apply example.com/v1 - {"f:spec":{"f:colours":{"f:sky":{}}}}',
      'scaler Apply example.com/v1 scale {"f:spec":{"f:replicas":{}}}',
    ]);
  });

  test("an update through it owns what it changed, as a write of the subresource", async () => {
    const resource = await scaled();
    await resource.update(SCALE, scaleBody(4), { ...WRITE, fieldManager: "autoscaler" }, CALLER);
    expect(await owners(resource)).toContain('autoscaler Update example.com/v1 scale {"f:spec":{"f:replicas":{}}}');
  });
});

test("HOOK-13: admission sees a Scale, old and new, and what it changes there is written to the object", async () => {
  const seen: unknown[] = [];
  const step: AdmissionStep = {
    name: "scales",
    mutate(request) {
      const { subresource, object, old, ref, equivalents } = request;
      if (subresource !== "scale" || !object) return undefined;
      seen.push([object.kind, object["spec"], old?.["spec"], ref.plural, equivalents]);
      return request.replace({ ...asValue(object), spec: { replicas: 5 } });
    },
    validate({ subresource, object }) {
      if (subresource === "scale") seen.push(object?.["spec"]);
    },
  };
  const resource = await scaled(step);
  await resource.update(SCALE, scaleBody(3), WRITE, CALLER);
  expect(seen).toEqual([["Scale", { replicas: 3 }, { replicas: 2 }, "widgets", []], { replicas: 5 }]);
  expect(await read(resource, "w")).toMatchObject({ spec: { replicas: 5, colours: { sky: "blue" } } });
});
