import type { Kind } from "../../src/client/index.ts";
import { map, optional, text } from "../../src/meta/types.ts";
import type { ResourceDefinition } from "../../src/schema/definition.ts";
import { objectSchema } from "../../src/schema/object-schema.ts";

type Names = Pick<ResourceDefinition, "scope" | "version" | "group">;

const about = "A kind of the test.";

/** A kind of a test as its server and as its clients know it; of the cluster, unless more is said. */
export function testKind(
  plural: string,
  more: Partial<Names> = {},
): { readonly kind: Kind; readonly definition: ResourceDefinition } {
  const names = { group: "example.com", version: "v1", kind: plural, plural, scope: "Cluster" as const, ...more };
  const schema = objectSchema(about, { spec: optional(map(text(), "What is wanted.")) });
  const definition: ResourceDefinition = {
    ...names,
    singular: plural,
    description: about,
    schema,
    deleteReturns: "object",
  };
  return { kind: names as Kind, definition };
}
