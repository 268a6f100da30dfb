import type { FlowRule } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { Level } from "./level.ts";
import type { TicketFlow } from "./ticket.ts";

/** A schema with its rules and its level. */
export interface Flow extends TicketFlow {
  /** Empty without an object. */
  readonly uid: string;
  readonly rules: readonly FlowRule[];
  readonly level: Level;
}
