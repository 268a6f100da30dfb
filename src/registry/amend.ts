/**
 * Changes of a status that the server itself makes: owned by the server, and decided under the lock of the object, whoever
 * else writes it.
 *
 * @module
 */
import { asValue, copyOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { andThen } from "../util/steps.ts";
import type { Kind } from "./kind.ts";
import { ownUpdated } from "./ownership.ts";
import { newContext } from "./write.ts";
import { SYSTEM, systemWrite } from "./system.ts";
import { guaranteedUpdate } from "./verbs/update.ts";

/**
 * Changes the status of an object; resolves to the resourceVersion that it has then. Rejects with 404 where it is gone. A
 * change that leaves it as it is writes nothing.
 */
export async function amendStatus(
  kind: Kind,
  key: { readonly namespace: string; readonly name: string },
  change: (object: ApiObject) => void,
): Promise<string | undefined> {
  const ctx = newContext(kind);
  const options = systemWrite(ctx);
  const target = { ...key, subresource: "status" };
  const { object: amended } = await guaranteedUpdate(
    { kind, target, options, caller: SYSTEM, ctx, limit: ctx.clock.loop.slice() },
    {
      change(old) {
        const object = copyOf(old);
        change(object);
        const how = { edits: false, request: asValue(object) };
        return andThen(ownUpdated(kind, object, old, options.fieldManager, target.subresource, how), () => object);
      },
    },
  );
  return amended.metadata.resourceVersion;
}
