/**
 * Exploring: finds faults of controllers and storage drivers by playing a scenario with perturbations.
 *
 * This room plays nothing itself: a {@link Laboratory} does. It makes plans of clean runs, judges runs, and shrinks what shows a fault.
 *
 * @module
 */
export type * from "./contract/finding.ts";
export type * from "./contract/judge.ts";
export type * from "./contract/laboratory.ts";
export type * from "./contract/plan.ts";
export type * from "./contract/state.ts";
export type * from "./contract/trace.ts";
export type { Coverage, Tried, TypeCoverage, WriteCoverage } from "./coverage.ts";
export type { Ending, Exploration, ExploreOptions, FindingRuns, Origin, Progress } from "./exploration.ts";
export { explore } from "./explore.ts";
export { describePerturbation, describePlan, perturbationRules, perturbationTypes } from "./perturbations/index.ts";
export { LaboratoryError } from "./runs.ts";
