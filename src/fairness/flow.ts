import type { FlowRule } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { Level } from "./level.ts";
import type { TicketFlow } from "./ticket.ts";

/** A schema, ready: which requests, and the level that takes them. */
export interface Flow extends TicketFlow {
  /** Empty where there is no object of it. */
  readonly uid: string;
  readonly rules: readonly FlowRule[];
  readonly level: Level;
}
