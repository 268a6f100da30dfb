/**
 * What `keelson why` does once it is asked to.
 *
 * @module
 */
import { StatusError } from "../client/errors.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { painter, wantsColour } from "./colours.ts";
import { connect } from "./connect.ts";
import type { ConnectFlags } from "./connect-flags.ts";
import { parseObject } from "./object-argument.ts";
import { nameOf, pastObject } from "./past.ts";
import { whyLines } from "./why-lines.ts";

/** Why what is as it is. */
export interface WhyRequest extends ConnectFlags {
  readonly words: readonly (string | undefined)[];
  readonly limit: string;
  readonly output: "text" | "json";
}

/** Asks the server and prints. */
export async function runWhy(actions: Actions, request: WhyRequest): Promise<void> {
  const { kind: asked, name } = parseObject(request.words, 0, "keelson why pvc/disk");
  const limit = Number(request.limit);
  if (!/^\d{1,3}$/.test(request.limit) || limit < 1 || limit > 500) {
    throw new CliError(`expected --limit to be a number from 1 to 500, got ${request.limit}`, { usage: true });
  }
  using connection = await connect(actions, request);
  const object = await pastObject(connection, asked, name);
  const { client, kind, namespace } = object;
  const report = await client
    .resource(kind)
    .why({ name, namespace }, { limit })
    .catch((error: unknown) => {
      // A server that does not know the path names no object.
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
      const known = error.status.details?.name !== undefined;
      const message = known
        ? `${nameOf(object)} does not exist`
        : "the server does not know why: is it a keelson server?";
      throw new CliError(message, { cause: error });
    });
  if (request.output === "json") {
    actions.print(JSON.stringify(report, undefined, 2));
    return;
  }
  const { isTerminal, env, columns } = actions.terminal;
  const style = { paint: painter(wantsColour(isTerminal, env)), columns };
  actions.print(whyLines(report, nameOf(object), style).join("\n"));
}
