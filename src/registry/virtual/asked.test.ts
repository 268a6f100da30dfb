import { expect, test } from "vitest";
import { atomicList, int64, optional, pointer, struct, text } from "../../meta/types.ts";
import type { ResourceDefinition } from "../../schema/definition.ts";
import { objectSchema } from "../../schema/object-schema.ts";
import type { Resource } from "../contract.ts";
import { CALLER, WRITE, bodyOf, named, registryOf, widget } from "../testing/registry.ts";

const about = "A question of the test.";

/** A TokenRequest, as far as a test needs one. */
const request: ResourceDefinition = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
  singular: "tokenrequest",
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
  deleteAnswers: "status",
};

const TOKEN = named("w", "token");

async function accounts(): Promise<Resource> {
  const { kinds } = await registryOf(
    [widget("v1", { subresources: { token: { verbs: ["create"], takes: request } } })],
    {
      signer: { defaultAudience: "here", sign: () => Promise.resolve({ token: "t", expires: Date.UTC(2026, 0, 2) }) },
    },
  );
  return kinds.find("example.com", "v1", "widgets")!;
}

const question = bodyOf({ spec: { audiences: ["x"], expirationSeconds: 600 } });

test("SUP-7: a question below an object is answered, and who asked owns what was asked", async () => {
  const resource = await accounts();
  await resource.create(named(""), bodyOf({ metadata: { name: "w" } }), WRITE, CALLER);
  const { object } = await resource.create(TOKEN, question, { ...WRITE, fieldManager: "me" }, CALLER);
  expect(object).toMatchObject({
    kind: "TokenRequest",
    status: { token: "t" },
    metadata: { name: "w", managedFields: [{ manager: "me", subresource: "token", fieldsV1: { "f:spec": {} } }] },
  });
});

test("SUP-7: below an object that is not there, or without a body, there is no answer", async () => {
  const resource = await accounts();
  await expect(resource.create(TOKEN, question, WRITE, CALLER)).rejects.toMatchObject({ code: 404 });
  const nothing = resource.create(TOKEN, { value: null, duplicates: [] }, WRITE, CALLER);
  await expect(nothing).rejects.toMatchObject({ code: 400 });
});
