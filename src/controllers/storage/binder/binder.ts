/**
 * The binder: brings claims and volumes together, and says of each how it stands.
 *
 * Whatever happens to one of them, or to a class or a pod that matters to it, both sides are claimDone at anew; every
 * step can be repeated. Volume and claim are never written but in the version that was judged, so a volume has one claim however
 * many binders run.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import { type Controller, defineKeyController } from "../../../runtime/index.ts";
import { syncClaim } from "./claims.ts";
import { BinderMemory, binderSpecs } from "./memory.ts";
import { syncVolume } from "./volumes.ts";

/** The controller named `persistentvolume-binder`. */
export function volumeBinder(dialect: Dialect): Controller {
  const specs = binderSpecs(dialect);
  return defineKeyController({
    name: "keelson-persistentvolume-binder",
    eventSource: "persistentvolume-controller",
    uses: [specs.claims, specs.volumes, specs.classes, specs.pods],
    concurrency: 128,
    begin: (parts, add) => new BinderMemory(specs, parts, add),
    async reconcile(ctx) {
      const { memory } = ctx;
      const [kind, first = "", second = ""] = ctx.key.split("/");
      if (kind === "volume") {
        const volume = memory.volumes.get({ name: first });
        return volume && syncVolume(ctx, volume);
      }
      try {
        const claim = memory.claims.get({ namespace: first, name: second });
        return await (claim && syncClaim(ctx, claim));
      } finally {
        memory.claimDone(`${first}/${second}`);
      }
    },
  });
}
