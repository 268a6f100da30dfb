import { StatusError } from "../client/errors.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { parseLimit, parseObject } from "./object-argument.ts";
import { printReport, styleOf } from "./print-report.ts";
import { nameOf } from "../client/objects/history.ts";
import { resolveObject } from "./object-history.ts";
import { whyLines } from "./why-lines.ts";

/** The object, and the output format. */
export interface WhyRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly limit: string;
  readonly output: "text" | "json";
}

/** Requests an explanation of the state of an object, and prints it. */
export async function runWhy(actions: Actions, request: WhyRequest): Promise<void> {
  const { kind: kindName, name } = parseObject(request.words, 0, "keelson why pvc/disk");
  const limit = parseLimit(request.limit);
  using connection = await connect(actions, request);
  const object = await resolveObject(connection, kindName, name);
  const { client, kind, namespace } = object;
  const report = await client
    .resource(kind)
    .why({ name, namespace }, { limit })
    .catch((error: unknown) => {
      // A 404 for an unknown path names no object.
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
      const known = error.status.details?.name !== undefined;
      const message = known
        ? `${nameOf(object)} does not exist`
        : "the server does not support why: is it a keelson server?";
      throw new CliError(message, { cause: error });
    });
  printReport(actions, request.output, report, () => whyLines(report, nameOf(object), styleOf(actions)));
}
