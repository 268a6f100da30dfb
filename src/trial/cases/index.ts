/**
 * Tests of policies: files with cases, in three forms, and what of the policies they reach.
 *
 * @module
 */
export { type TestFile, TestFiles } from "./files.ts";
export { TestFileError } from "./members.ts";
export { neededKinds } from "./needed-kinds.ts";
export { readSuites } from "./read-suites.ts";
export { runSuites } from "./run-suites.ts";
