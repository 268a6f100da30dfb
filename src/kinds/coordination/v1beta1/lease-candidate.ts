/**
 * LeaseCandidate: a candidate for a Lease (LC-1..13). A controller elects among the candidates; this file has the form of a candidate.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { configMapKeyName, configMapKey } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { type SemanticVersion, compareSemanticVersions, parseSemanticVersion } from "../../../meta/semantic-version.ts";
import { OLDEST_EMULATION_VERSION, validateStrategy } from "../strategy.ts";

const schema = objectSchema(
  "A candidate for a Lease; the server chooses the holder among all candidates of the same Lease.",
  {
    spec: t.always(
      t.struct("The properties of the candidate, and its Lease.", {
        leaseName: t.required(t.text("The name of its Lease; it is immutable.")),
        pingTime: t.pointer(
          t.microTime("When the server last requested a renewal; the candidate responds with a new renewTime."),
        ),
        renewTime: t.pointer(t.microTime("When it was last renewed. One that is not renewed for hours is removed.")),
        binaryVersion: t.required(t.text("Semantic version of the program, without `v` in front.")),
        emulationVersion: t.optional(
          t.text(
            "Semantic version that the program behaves as; at most binaryVersion. OldestEmulationVersion needs it.",
          ),
        ),
        strategy: t.optional(
          t.text("How the holder is chosen; where candidates differ, the one with the newest binaryVersion decides."),
        ),
      }),
    ),
  },
);

type Candidate = ObjectOf<typeof schema>;
type CandidateSpec = Candidate["spec"];

function validate({ spec }: Candidate, errors: FieldErrors, { dialect }: ApiContext): void {
  validateLeaseName(spec, dialect.rules.enforceDocumented, errors);
  validateVersions(spec, errors);
  if (spec.strategy) validateStrategy(spec.strategy, "spec.strategy", errors);
  else errors.required("spec.strategy", "expected a strategy such as OldestEmulationVersion, got none");
}

/** The lease name must be valid; Kubernetes does not validate it. */
function validateLeaseName({ leaseName }: CandidateSpec, form: boolean, errors: FieldErrors): void {
  if (leaseName === "") errors.required("spec.leaseName");
  const wrong = leaseName === "" || !form ? undefined : configMapKey(leaseName);
  if (wrong) errors.invalid("spec.leaseName", leaseName, wrong);
}

/** LC-3, LC-4, LC-9..11. An emulationVersion that is too new is reported at binaryVersion, as clients know it. */
function validateVersions(spec: CandidateSpec, errors: FieldErrors): void {
  if (!spec.binaryVersion) errors.required("spec.binaryVersion");
  const binary = version(spec.binaryVersion, "spec.binaryVersion", errors);
  const emulation = version(spec.emulationVersion, "spec.emulationVersion", errors);
  // An unreadable version counts as none.
  if (!emulation && spec.strategy === OLDEST_EMULATION_VERSION) {
    errors.required("spec.emulationVersion", `expected a version, ${OLDEST_EMULATION_VERSION} compares them`);
  }
  if (binary && emulation && compareSemanticVersions(binary, emulation) < 0) {
    errors.invalid("spec.binaryVersion", spec.binaryVersion, `expected at least ${spec.emulationVersion}`);
  }
}

function version(sent: string | undefined, field: string, errors: FieldErrors): SemanticVersion | undefined {
  if (!sent) return undefined;
  const parsed = parseSemanticVersion(sent);
  if (!parsed) errors.invalid(field, sent, "expected a semantic version such as 1.35.0, without 'v' in front");
  return parsed;
}

/** LC-6: the Lease of a candidate is fixed. */
function validateUpdate(object: Candidate, old: Candidate, errors: FieldErrors, ctx: ApiContext): void {
  const { leaseName } = object.spec;
  const before = old.spec.leaseName;
  if (leaseName !== before) errors.invalid("spec.leaseName", leaseName, `field is immutable: expected "${before}"`);
  validate(object, errors, ctx);
}

/** The definition of LeaseCandidate. */
export const leaseCandidate = ({ dialect, gates }: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: `coordination.${dialect.domain}`,
    version: "v1beta1",
    kind: "LeaseCandidate",
    plural: "leasecandidates",
    scope: "Namespaced",
    bareFinalizers: true,
    // Without the gate the documents still require the kind, a real server does not serve it.
    served: dialect.rules.enforceDocumented || gates.CoordinatedLeaderElection,
    ...(dialect.rules.enforceUndocumented
      ? {
          deprecated: `coordination.${dialect.domain}/v1beta1 LeaseCandidate is a beta version and will be replaced`,
          removedRelease: "1.39",
        }
      : {}),
    nameRule: configMapKeyName,
    createOnUpdate: true,
    versionedUpdate: true,
    validate,
    validateUpdate,
    ...(dialect.rules.leaseNameSelectable
      ? { selectableFields: { "spec.leaseName": ({ spec }: Candidate) => spec.leaseName } }
      : {}),
    columns: [
      textColumn("LeaseName", "The Lease for which it is a candidate.", ({ spec }) => spec.leaseName),
      textColumn("BinaryVersion", "Version of the program.", ({ spec }) => spec.binaryVersion),
      textColumn("EmulationVersion", "Version it behaves as.", ({ spec }) => spec.emulationVersion ?? ""),
      ageColumn,
    ],
  });
