/**
 * Volumes behind claims: a claim by name, and one that is created for the Pod (VOL-27..34, DEC-49, LIM-13).
 *
 * @module
 */
import { dnsSubdomain } from "../../../../meta/names.ts";
import { type ObjectMeta, TemplateMetaSchema } from "../../../../meta/object-meta.ts";
import * as t from "../../../../meta/types.ts";
import { validateTemplateMetadata } from "../../../rules/template-metadata.ts";
import { ClaimSpecSchema, type ClaimSpec, defaultClaimSpec, validateClaimSpec } from "../claim-spec.ts";
import { type Members, type SourceCheck, type SourceFamily, form } from "./form.ts";

/** A claim of the Pod's namespace (DEC-49). */
export const persistentVolumeClaim: SourceFamily = {
  member: "persistentVolumeClaim",
  inline: form(
    t.struct("A PersistentVolumeClaim of the Pod's namespace.", {
      claimName: t.required(t.text("Name of the claim.")),
      readOnly: t.optional(t.bool("Whether the volume is mounted read-only.")),
    }),
    (source, at, check) => check.need(`${at}.claimName`, source.claimName),
  ),
};

/** Required, but not created when it is missing, so that the rules report that (VOL-28). */
const requiredSpec = Object.assign(t.required(ClaimSpecSchema), { "x-keelson-presence": "keepZero" });

const PersistentVolumeClaimTemplate = t.struct("The claim that is made for the Pod.", {
  metadata: t.always(TemplateMetaSchema),
  spec: requiredSpec,
});

/** The name of the claim that is created for a volume of a Pod (VOL-32). */
export const ephemeralClaimName = (pod: string, volume: string): string => `${pod}-${volume}`;

/** The name must be possible for a claim (LIM-13); a Pod or volume without a name is reported elsewhere. */
function checkClaimName(at: string, check: SourceCheck): void {
  if (check.pod === "" || check.owner === "") return;
  const name = ephemeralClaimName(check.pod, check.owner);
  const wrong = dnsSubdomain(name);
  if (wrong === undefined) return;
  check.errors.invalid(
    `${at.slice(0, at.lastIndexOf("."))}.name`,
    check.owner,
    `the claim would be called ${name}: ${wrong}`,
  );
}

/** A claim that is created for the Pod and deleted with it. */
export const ephemeral: SourceFamily = {
  member: "ephemeral",
  inline: form(
    t.struct("A volume of a claim that is created for the Pod and deleted with it.", {
      volumeClaimTemplate: t.pointer(PersistentVolumeClaimTemplate),
    }),
    (source, at, check) => {
      const template = source.volumeClaimTemplate;
      checkClaimName(at, check);
      if (!template) return check.errors.required(`${at}.volumeClaimTemplate`);
      const metadata = (template.metadata ?? {}) as Partial<ObjectMeta>;
      validateTemplateMetadata(metadata, `${at}.volumeClaimTemplate.metadata`, check.errors, check.ctx);
      if (!template.spec && check.ctx.dialect.rules.enforceDocumented) {
        return check.errors.required(`${at}.volumeClaimTemplate.spec`);
      }
      const spec = (template.spec ?? {}) as ClaimSpec;
      validateClaimSpec(spec, `${at}.volumeClaimTemplate.spec`, check.errors, check.ctx);
    },
    (source) => {
      const template = source["volumeClaimTemplate"] as Members | undefined;
      if (template?.["spec"]) defaultClaimSpec(template["spec"] as ClaimSpec);
    },
  ),
};
