/**
 * Trials of admission policies; see `contract.ts`.
 *
 * @module
 */
export type { TrialParts } from "./contract.ts";
export { KindTable, type SourceValue, readDocuments } from "./documents.ts";
export { type TryOptions, tryPolicies } from "./try-policies.ts";
export { type FindFiles, type TestFile, TestFiles } from "./cases/files.ts";
export { TestFileError } from "./cases/members.ts";
export { neededKinds } from "./cases/needed-kinds.ts";
export { readSuites } from "./cases/read-suites.ts";
export { runSuites } from "./cases/run-suites.ts";
