/**
 * The subject of an exploration: programs, and modules that export them with a scenario.
 *
 * @module
 */
import type { Actor } from "../../explore/contract/trace.ts";
import type { Controller } from "../../runtime/index.ts";
import type { ClusterOptions } from "../contract.ts";
import type { Operations } from "./laboratory.ts";
import type { InProcessProgram, Scenario } from "./scenario.ts";

/** The subject of an exploration: controllers as one program, or several programs by name. */
export interface ExploredPrograms {
  /**
   * Controllers of one program. A function creates them again for each start: a crash deletes their memory, as in a
   * real program.
   */
  readonly controllers?: (() => Controller | readonly Controller[]) | Controller | readonly Controller[];
  /** Whether the program has replicas of which one leads. */
  readonly leaderElection?: boolean;
  /** Several programs, or programs that are functions over a client, by name. */
  readonly programs?: Readonly<Record<Actor, InProcessProgram>>;
  /** Kinds whose members are set, unset and changed there and back. */
  readonly operations?: Operations;
  /** The cluster; by default with namespaces and the garbage collector, with nodes all built-in controllers. */
  readonly cluster?: Omit<ClusterOptions, "clock" | "seed" | "from" | "routes">;
}

/** The programs by name. @throws TypeError where there is none */
export function programsOf({
  controllers,
  leaderElection,
  programs,
}: ExploredPrograms): Readonly<Record<Actor, InProcessProgram>> {
  if (!controllers) {
    if (!programs || Object.keys(programs).length === 0)
      throw new TypeError("expected controllers, or programs by their names, got neither");
    return programs;
  }
  const make = typeof controllers === "function" ? controllers : () => controllers;
  const [first, ...others] = [make()].flat() as readonly Controller[];
  if (!first) throw new TypeError("expected controllers, got none");
  const name = others.length === 0 ? first.name : "controllers";
  return { ...programs, [name]: { controllers: make, ...(leaderElection !== undefined && { leaderElection }) } };
}

/** An exploration that a module exports by default: for `keelson explore MODULE`, and for workers that load it. */
export interface ExplorationModule extends ExploredPrograms {
  readonly scenario: Scenario;
}

/** Defines the exploration of a module: `export default defineExploration({ scenario, controllers: () => shops })`. */
export function defineExploration(exploration: ExplorationModule): ExplorationModule {
  programsOf(exploration);
  return exploration;
}
