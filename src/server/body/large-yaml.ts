/**
 * Decodes large YAML documents in a thread: a parser may take seconds for three megabytes.
 *
 * @module
 */
import type { Connection } from "../../auth/contract.ts";
import { jobFailure } from "../../schema/write/job-failure.ts";
import { badRequest, tooLarge } from "../../meta/status.ts";
import { JobError, siblingModule } from "../../util/worker-threads.ts";
import { DecodeError, type Decoded } from "../../value/decode-error.ts";
import { inSlices } from "../../util/steps.ts";
import { decodeJsonSteps } from "../../value/json.ts";
import type { YamlOptions } from "../../value/yaml.ts";
import type { YamlReply, YamlTask } from "./yaml-job.ts";
import type { ServerContext } from "../request/context.ts";

const MODULE = siblingModule(import.meta.url, "yaml-job");

/**
 * Decodes a document of a connection. Rejects with DecodeError, and with an ApiError when too many wait, it takes too
 * long or too much memory, or the server closes.
 */
export async function decodeLargeYaml(
  { threads, clock }: Pick<ServerContext, "threads" | "clock">,
  bytes: Uint8Array,
  options: YamlOptions,
  sender: Connection,
): Promise<Decoded> {
  const input: YamlTask = { bytes, options };
  const reply = (await threads.run({ what: "the YAML document", module: MODULE, input }, sender).catch((error) => {
    throw refusalOf(error);
  })) as YamlReply;
  if ("code" in reply) throw new DecodeError(reply.code, reply.message);
  const depth = options.depth === undefined ? {} : { depth: options.depth };
  const { value } = await inSlices(decodeJsonSteps(reply.json, depth), clock.loop.slice());
  return { value, ...reply.rest };
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof JobError)) return error;
  if (error.why === "slow") return badRequest(error.message);
  if (error.why === "large") return tooLarge(error.message);
  return jobFailure(error);
}
