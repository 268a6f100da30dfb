/**
 * Templates of Pods, as workloads have them (KIND-All-10..14): a Pod's spec with the labels and annotations of the Pods that
 * are made of it. Its rules are those of a Pod; faults are reported at the path of the template.
 *
 * @module
 */
import { FieldErrors } from "../../../../meta/field-errors.ts";
import { TemplateMetaSchema } from "../../../../meta/object-meta.ts";
import { validateAnnotations, validateLabels } from "../../../../meta/object-meta-rules.ts";
import * as t from "../../../../meta/types.ts";
import type { ApiContext, WriteContext } from "../../../../schema/definition.ts";
import { type Source, inlineSources } from "../volumes/sources.ts";
import { checkAnnotations } from "./annotation-rules.ts";
import { type Pod, defaultPodSpec } from "./defaults.ts";
import { dropGatedMembers } from "./gated-fields.ts";
import { checkSameProfiles, profileWarnings } from "./profile-annotations.ts";
import { validatePodSpec } from "./spec-rules.ts";
import { podSpecSchema } from "./spec-schema.ts";
import { podWarnings } from "./warnings.ts";

/** A template in wire form. */
export type PodTemplate = t.Static<PodTemplates["schema"]>;

/** The templates of a dialect: their schema and rules. */
export class PodTemplates {
  /** The schema of the spec of a Pod, alone or in a template. */
  readonly spec;
  readonly schema;
  readonly #sources: readonly Source[];

  private constructor(sources: readonly Source[]) {
    this.#sources = sources;
    this.spec = t.named("io.k8s.api.core.v1.PodSpec", podSpecSchema(sources));
    const template = t.struct("The template of Pods: their metadata and spec.", {
      metadata: t.always(TemplateMetaSchema),
      spec: t.always(this.spec),
    });
    this.schema = t.named("io.k8s.api.core.v1.PodTemplateSpec", template);
  }

  static readonly #made = new WeakMap<ApiContext, PodTemplates>();

  /** The templates of all kinds of a server; their schema is the same object. */
  static of(ctx: ApiContext): PodTemplates {
    let templates = PodTemplates.#made.get(ctx);
    if (!templates) PodTemplates.#made.set(ctx, (templates = new PodTemplates(inlineSources(ctx))));
    return templates;
  }

  /** Sets the defaults of a Pod's spec (KIND-All-12); changes `template`. */
  setDefaults(template: PodTemplate | undefined, ctx: WriteContext): void {
    if (template) defaultPodSpec(template.spec, this.#sources, ctx);
  }

  /** Drops members of gates that are off, unless the stored template has them; changes `template`. */
  dropGated(template: PodTemplate | undefined, stored: PodTemplate | undefined, ctx: WriteContext): void {
    if (template) dropGatedMembers(template.spec, stored?.spec, ctx);
  }

  /** All faults of a template at `at`, such as `spec.template`. */
  validate({ metadata, spec }: PodTemplate, at: string, errors: FieldErrors, ctx: WriteContext): void {
    if (metadata.labels) validateLabels(metadata.labels, `${at}.labels`, errors);
    const { annotations } = metadata;
    const own = new FieldErrors();
    if (annotations) {
      validateAnnotations(annotations, `${at}.annotations`, errors);
      checkAnnotations(annotations, spec, `${at}.annotations`, errors, ctx);
      checkSameProfiles(annotations, spec, own, ctx);
    }
    validatePodSpec(asPod({ metadata, spec }), this.#sources, own, ctx, true);
    for (const { reason, field = "", message } of own.causes) errors.add(reason, `${at}.${field}`, message);
    if ((spec.ephemeralContainers ?? []).length > 0) {
      errors.forbidden(`${at}.spec.ephemeralContainers`, "expected none in a template");
    }
  }

  /** The Warnings of a Pod that is made from a template (KIND-All-13). */
  *warnings(template: PodTemplate, at: string, ctx: ApiContext): Generator<string> {
    const profiles = profileWarnings(template.metadata.annotations, template.spec, ctx);
    for (const text of [...podWarnings(asPod(template), this.#sources, ctx, `${at}.`), ...profiles]) {
      yield text.startsWith("spec.") || text.startsWith("metadata.") ? `${at}.${text}` : text;
    }
  }
}

/** A Pod without a name. */
const asPod = ({ metadata: { labels, annotations }, spec }: PodTemplate): Pod =>
  ({ metadata: { ...(labels && { labels }), ...(annotations && { annotations }) }, spec }) as Pod;
