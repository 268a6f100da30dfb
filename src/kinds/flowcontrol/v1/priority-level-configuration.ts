/**
 * PriorityLevelConfiguration: how many requests of a level run at a time, and whether the others wait (APF-1..3).
 *
 * @module
 */
import { maxHandSize } from "../../../meta/hand-size.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { equal } from "../../../value/value.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { Column } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { fixedLevelSpec } from "./provided.ts";
import { Status, statusRules } from "./status.ts";

const shares = "The level's part of the seats of the server, measured against the shares of all levels.";
const lendable = "How much of its seats, in percent, others may use while it does not.";

const Queuing = t.struct("The queues of the level.", {
  queues: t.always(t.int32("The number of queues; 64 by default.")),
  handSize: t.always(t.int32("The number of queues among which a flow chooses; 8 by default.")),
  queueLengthLimit: t.always(t.int32("How many requests may wait in one queue; 50 by default.")),
});

const Limited = t.struct("The limits of a level of the type Limited.", {
  nominalConcurrencyShares: t.nullable(t.int32(`${shares} 30 unless said.`)),
  limitResponse: t.always(
    t.struct("How requests without a seat are handled.", {
      type: t.required(t.text("Queue: they wait; Reject: they are refused.")),
      queuing: t.pointer(Queuing),
    }),
  ),
  lendablePercent: t.pointer(t.int32(lendable)),
  borrowingLimitPercent: t.pointer(
    t.int32("How many seats it may borrow, in percent of its own; without a limit by default."),
  ),
});

const Exempt = t.struct("What a level of the type Exempt may lend.", {
  nominalConcurrencyShares: t.pointer(t.int32(shares)),
  lendablePercent: t.pointer(t.int32(lendable)),
});

const schema = objectSchema("How many requests of a level run at a time, and whether the others wait.", {
  spec: t.always(
    t.struct("The properties of the level.", {
      type: t.required(t.text("Limited; Exempt for the level of that name, which has no limit.")),
      limited: t.pointer(Limited),
      exempt: t.pointer(Exempt),
    }),
  ),
  status: Status,
});

/** The queues of a level. */
export type QueuingSpec = t.Static<typeof Queuing>;

/** A level as its rules and the server see it, with its defaults. */
export type PriorityLevelConfiguration = ObjectOf<typeof schema>;

type Spec = PriorityLevelConfiguration["spec"];
type LimitedSpec = NonNullable<Spec["limited"]>;

/** The annotation of older versions for 0 shares. */
const RETIRED = "flowcontrol.k8s.io/preserve-zero-concurrency-shares";
const MAX_QUEUES = 10_000_000;

/** Sets defaults; 0 counts as unset in numbers of queues. Changes `object`. */
function defaults(object: PriorityLevelConfiguration): void {
  const { limited, exempt } = object.spec;
  if (limited) {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const queuing = limited.limitResponse.queuing;
    if (queuing) {
      queuing.queues ||= 64;
      queuing.handSize ||= 8;
      queuing.queueLengthLimit ||= 50;
    }
  }
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
}

function validate(object: PriorityLevelConfiguration, errors: FieldErrors): void {
  const { metadata, spec } = object;
  const { type, limited, exempt } = spec;
  if (metadata.annotations?.[RETIRED] !== undefined) {
    errors.forbidden("metadata.annotations", `expected no annotation ${RETIRED}: only versions that are gone had it`);
  }
  if ((metadata.name === "exempt") !== (type === "Exempt")) {
    errors.invalid("spec.type", type, "expected Exempt for the level of the name exempt, and for no other");
  }
  if (type === "Exempt") {
    if (limited) errors.forbidden("spec.limited", "expected it in levels of the type Limited only");
    if (exempt) validateShares(exempt, "spec.exempt", errors);
  } else if (type === "Limited") {
    if (exempt) errors.forbidden("spec.exempt", "expected it in the level of the type Exempt only");
    if (limited) validateLimited(limited, errors);
    else errors.required("spec.limited", "expected the limits of the level");
  } else errors.notSupported("spec.type", type, ["Exempt", "Limited"]);
  validateFixed(metadata.name ?? "", spec, errors);
}

function validateShares(
  { nominalConcurrencyShares, lendablePercent = 0 }: Pick<LimitedSpec, "nominalConcurrencyShares" | "lendablePercent">,
  field: string,
  errors: FieldErrors,
): void {
  if (nominalConcurrencyShares && nominalConcurrencyShares < 0) {
    errors.invalid(`${field}.nominalConcurrencyShares`, nominalConcurrencyShares, "expected 0 or more");
  }
  if (lendablePercent < 0 || lendablePercent > 100) {
    errors.invalid(`${field}.lendablePercent`, lendablePercent, "expected 0 to 100");
  }
}

function validateLimited(limited: LimitedSpec, errors: FieldErrors): void {
  const { limitResponse, borrowingLimitPercent = 0 } = limited;
  validateShares(limited, "spec.limited", errors);
  if (borrowingLimitPercent < 0) {
    errors.invalid("spec.limited.borrowingLimitPercent", borrowingLimitPercent, "expected 0 or more");
  }
  const { type, queuing } = limitResponse;
  const field = "spec.limited.limitResponse";
  if (type === "Reject") {
    if (queuing) errors.forbidden(`${field}.queuing`, "expected it where requests wait only, with the type Queue");
  } else if (type === "Queue") {
    if (queuing) validateQueuing(queuing, `${field}.queuing`, errors);
    else errors.required(`${field}.queuing`, "expected how requests wait");
  } else errors.notSupported(`${field}.type`, type, ["Queue", "Reject"]);
}

function validateQueuing(
  { queues, handSize, queueLengthLimit }: QueuingSpec,
  field: string,
  errors: FieldErrors,
): void {
  if (queueLengthLimit <= 0) errors.invalid(`${field}.queueLengthLimit`, queueLengthLimit, "expected 1 or more");
  if (queues <= 0 || queues > MAX_QUEUES) errors.invalid(`${field}.queues`, queues, `expected 1 to ${MAX_QUEUES}`);
  const most = maxHandSize(queues);
  if (handSize <= 0 || handSize > most) {
    errors.invalid(`${field}.handSize`, handSize, `expected 1 to ${most}, as can be dealt of ${queues} queues`);
  }
}

/** The mandatory levels are immutable; only the lending of the exempt one may change (APF-2). */
function validateFixed(name: string, spec: Spec, errors: FieldErrors): void {
  const fixed = fixedLevelSpec(name);
  if (!fixed) return;
  const found = { ...spec, ...(name === "exempt" ? { exempt: fixed["exempt"] } : {}) };
  if (!equal(found as never, fixed)) errors.invalid("spec", spec, `expected the spec of ${name} as it was made`);
}

const limitOf = (object: PriorityLevelConfiguration): LimitedSpec | undefined => object.spec?.limited;

const queuingColumn = (name: string, about: string, member: keyof QueuingSpec): Column<PriorityLevelConfiguration> =>
  textColumn(name, about, (object) => shown(limitOf(object)?.limitResponse?.queuing?.[member]));

const shown = (value: number | null | undefined): number | string => value ?? "<none>";

const columns: readonly Column<PriorityLevelConfiguration>[] = [
  textColumn("Type", "Whether it has limits.", (object) => object.spec?.type ?? ""),
  textColumn("NominalConcurrencyShares", shares, (object) => shown(limitOf(object)?.nominalConcurrencyShares)),
  queuingColumn("Queues", "How many queues it has.", "queues"),
  queuingColumn("HandSize", "Among how many of them a flow chooses.", "handSize"),
  queuingColumn("QueueLengthLimit", "How many requests may wait in one queue.", "queueLengthLimit"),
  ageColumn,
];

/** The definition of PriorityLevelConfiguration. */
export const priorityLevelConfiguration = defineResource(schema, {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  scope: "Cluster",
  generation: "fromOne",
  defaults,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  ...statusRules,
  columns,
});
