/**
 * Property tests draw by the seed of the run; see docs/contributing/testing.md.
 *
 * @module
 */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["SEED"]) });
