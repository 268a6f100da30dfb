/**
 * The binder: binds claims to volumes, and writes the phase of each.
 *
 * A change of a claim, a volume, a class or a Pod synchronizes both sides; every step can be repeated. Claims and
 * volumes are written only in the version of the decision, so a volume has one claim however many binders run.
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
