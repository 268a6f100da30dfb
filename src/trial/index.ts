/**
 * Trials of admission policies; see `contract.ts`.
 *
 * @module
 */
export type { TrialParts } from "./contract.ts";
export { KindTable, readDocuments } from "./documents.ts";
export { checkRights } from "./rights.ts";
export { type TryOptions, tryPolicies } from "./try-policies.ts";
