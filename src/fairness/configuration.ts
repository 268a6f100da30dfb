/**
 * What schemas and levels come to: the settings of levels, by the seats of the server, and the schemas in their order
 * (APF-9, APF-13, APF-21).
 *
 * @module
 */
import type { FlowSchema } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/v1/priority-level-configuration.ts";
import { type Provided, providedLevels, providedSchemas } from "../kinds/flowcontrol/v1/provided.ts";
import { neutral } from "../meta/dialect.ts";
import type { LevelSettings } from "./level.ts";

/** All schemas and levels as they are. */
export interface FlowConfiguration {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
}

/** The level of requests whose own is missing. */
export const CATCH_ALL = "catch-all";

/** The mandatory ones of them speak of no resource, so that they are the same in every dialect. */
const PROVIDED_SCHEMAS = providedSchemas({ dialect: neutral });

const asObject = ({ name, spec }: Provided): unknown => ({ metadata: { name }, spec });

/** Those that are there, and in the place of mandatory ones that are not what they have to be. */
function completed<T extends FlowSchema | PriorityLevelConfiguration>(
  found: readonly T[],
  all: readonly Provided[],
): T[] {
  const names = new Set(found.map(({ metadata }) => metadata.name));
  const missing = all.filter(({ name, mandatory }) => mandatory && !names.has(name));
  return [...found, ...missing.map((one) => asObject(one) as T)];
}

/** The settings of all levels; `seats` is how many the server has. */
export function levelSettings(levels: FlowConfiguration["levels"], seats: number): LevelSettings[] {
  const all = completed(levels, providedLevels());
  const sum = all.reduce((total, level) => total + sharesOf(level), 0);
  return all.map((level) => settingsOf(level, (seats * sharesOf(level)) / Math.max(1, sum), seats));
}

const sharesOf = ({ spec }: PriorityLevelConfiguration): number =>
  (spec.limited ?? spec.exempt)?.nominalConcurrencyShares ?? 0;

function settingsOf({ metadata, spec }: PriorityLevelConfiguration, part: number, seats: number): LevelSettings {
  const nominal = Math.ceil(part);
  const { lendablePercent = 0 } = spec.limited ?? spec.exempt ?? {};
  const borrowing = spec.limited?.borrowingLimitPercent;
  const { type, queuing } = spec.limited?.limitResponse ?? {};
  return {
    name: metadata.name!,
    uid: metadata.uid ?? "",
    isExempt: spec.type === "Exempt",
    nominal,
    lower: nominal - Math.round((nominal * lendablePercent) / 100),
    upper: nominal + (borrowing === undefined ? seats : Math.round((nominal * borrowing) / 100)),
    queuing: type === "Queue" ? queuing : undefined,
  };
}

/** The schemas in the order in which they are asked. */
export function orderedSchemas(schemas: FlowConfiguration["schemas"]): FlowSchema[] {
  const precedence = ({ spec }: FlowSchema): number => spec.matchingPrecedence ?? 0;
  return completed(schemas, PROVIDED_SCHEMAS).toSorted(
    (a, b) => precedence(a) - precedence(b) || (a.metadata.name! < b.metadata.name! ? -1 : 1),
  );
}
