import { expect, test } from "vitest";
import type { AdmissionRequest, AdmissionStep } from "../../admission/contract.ts";
import { forbidden } from "../../meta/status.ts";
import type { ValueObject } from "../../value/value.ts";
import { atomicList, int64, optional, pointer, struct, text } from "../../meta/types.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import type { Resource } from "../contract.ts";
import { actionKey } from "../kind/action.ts";
import { CALLER, WRITE, bodyOf, named, registryOf, widget } from "../testing/registry.ts";

const about = "A question of the test.";

/** A kind that the action of the test signs. */
const request: ResourceDefinition = {
  group: "example.com",
  version: "v1",
  kind: "Signature",
  plural: "signatures",
  singular: "signature",
  scope: "Cluster",
  description: about,
  schema: objectSchema(about, {
    spec: optional(
      struct("What is asked.", {
        audiences: optional(atomicList(text(), "For whom.")),
        expirationSeconds: pointer(int64("How long.")),
      }),
    ),
    status: optional(struct("The answer.", { token: optional(text("The token.")) })),
  }),
  deleteReturns: "status",
};

const TOKEN = named("w", "token");

async function accounts(...steps: readonly AdmissionStep[]): Promise<Resource> {
  const { kinds } = await registryOf(
    [widget("v1", { subresources: { token: { verbs: ["create"], takes: request, takesAlso: ["example.com/v0"] } } })],
    {
      steps,
      actions: () =>
        new Map([
          [
            actionKey(request),
            {
              handle({ object, parent }) {
                Object.assign(object, { status: { token: `of ${parent().metadata.name}` } });
              },
            },
          ],
        ]),
    },
  );
  return kinds.find("example.com", "v1", "widgets")!;
}

const question = bodyOf({ spec: { audiences: ["x"], expirationSeconds: 600 } });

test("SUP-7: a question below an object is answered, and who asked owns what was asked", async () => {
  const resource = await accounts();
  await resource.create(named(""), bodyOf({ metadata: { name: "w" } }), WRITE, CALLER);
  expect(await resource.ask(TOKEN, question, { ...WRITE, fieldManager: "me" }, CALLER)).toMatchObject({
    object: {
      kind: "Signature",
      status: { token: "of w" },
      metadata: { managedFields: [{ manager: "me", subresource: "token", fieldsV1: { "f:spec": {} } }] },
    },
  });
});

test("SUP-7: below an object that is not there, or without a body, there is no answer", async () => {
  const resource = await accounts();
  await expect(resource.ask(TOKEN, question, WRITE, CALLER)).rejects.toMatchObject({ code: 404 });
  const nothing = resource.ask(TOKEN, { value: null, duplicates: [] }, WRITE, CALLER);
  await expect(nothing).rejects.toMatchObject({ code: 400 });
});

test("a question is a create to admission, which may change and refuse it before it is answered", async () => {
  const seen: string[] = [];
  const note = (what: string, { operation, ref, subresource, name, object }: AdmissionRequest): void => {
    const { audiences } = object!["spec"] as { audiences: string[] };
    seen.push(`${what} ${operation} ${ref.plural}/${subresource} ${name} ${audiences.join("+")}`);
  };
  const step: AdmissionStep = {
    name: "test",
    mutate(write) {
      if (write.subresource !== "token") return;
      note("mutate", write);
      void write.replace({
        ...(write.object as unknown as ValueObject),
        spec: { audiences: ["y", "z"], expirationSeconds: 600 },
      });
    },
    validate(write) {
      if (write.subresource !== "token") return;
      note("validate", write);
      if (write.options.dryRun) throw forbidden(write.ref, write.name, "no dry runs");
    },
  };
  const resource = await accounts(step);
  await resource.create(named(""), bodyOf({ metadata: { name: "w" } }), WRITE, CALLER);
  expect(await resource.ask(TOKEN, question, WRITE, CALLER)).toMatchObject({
    object: { spec: { audiences: ["y", "z"] } },
  });
  expect(seen).toEqual(["mutate CREATE widgets/token w x", "validate CREATE widgets/token w y+z"]);
  await expect(resource.ask(TOKEN, question, { ...WRITE, dryRun: true }, CALLER)).rejects.toMatchObject({ code: 403 });
});

test("a question may be asked in each version that says the same", async () => {
  const resource = await accounts();
  await resource.create(named(""), bodyOf({ metadata: { name: "w" } }), WRITE, CALLER);
  const asked = (apiVersion: string) =>
    resource.ask(TOKEN, bodyOf({ apiVersion, kind: "Signature", spec: { expirationSeconds: 600 } }), WRITE, CALLER);
  expect(await asked("example.com/v0")).toMatchObject({ object: { apiVersion: "example.com/v1" } });
  await expect(asked("example.com/v9")).rejects.toMatchObject({ code: 400 });
});
