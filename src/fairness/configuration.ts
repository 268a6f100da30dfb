/**
 * Computes the settings of levels from the seats of the server, and the order of schemas (APF-9, APF-13, APF-21).
 *
 * @module
 */
import type { FlowSchema } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/v1/priority-level-configuration.ts";
import { type Provided, providedLevels, providedSchemas } from "../kinds/flowcontrol/v1/provided.ts";
import { neutral } from "../meta/dialect.ts";
import type { LevelSettings } from "./level.ts";

/** All objects of schemas and levels. */
export interface FlowConfiguration {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
}

/** The level of schemas whose level is missing. */
export const CATCH_ALL = "catch-all";

/** The mandatory schemas name no resource, so that they are the same in every dialect. */
const PROVIDED_SCHEMAS = providedSchemas({ dialect: neutral });

/** Adds the mandatory objects that are missing. */
function completed<T extends FlowSchema | PriorityLevelConfiguration>(
  found: readonly T[],
  all: readonly Provided[],
): T[] {
  const names = new Set(found.map(({ metadata }) => metadata.name));
  const missing = all.filter(({ name, mandatory }) => mandatory && !names.has(name));
  return [...found, ...missing.map(({ name, spec }) => ({ metadata: { name }, spec }) as unknown as T)];
}

/** Returns the settings of all levels; `seats` is the number of seats of the server. */
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
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    isExempt: spec.type === "Exempt",
    nominal,
    lower: nominal - Math.round((nominal * lendablePercent) / 100),
    upper: nominal + (borrowing === undefined ? seats : Math.round((nominal * borrowing) / 100)),
    queuing: type === "Queue" ? queuing : undefined,
  };
}

/** Returns the schemas in the order of precedence. */
export function orderedSchemas(schemas: FlowConfiguration["schemas"]): FlowSchema[] {
  const precedence = ({ spec }: FlowSchema): number => spec.matchingPrecedence ?? 0;
  return completed(schemas, PROVIDED_SCHEMAS).toSorted(
    (a, b) => precedence(a) - precedence(b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1),
  );
}
