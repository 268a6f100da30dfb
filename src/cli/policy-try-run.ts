import { StatusError } from "../client/errors.ts";
import { TRY_PATH, type TrialReport } from "../meta/trial-report.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ServerFlags } from "./connect-flags.ts";
import { parseLimit } from "./object-argument.ts";
import { tryLines } from "./policy-try-lines.ts";
import { printReport, styleOf } from "./print-report.ts";
import { readFiles } from "./read-files.ts";

/** The files with policies, and the output format. */
export interface TryRequest extends ServerFlags {
  readonly file: readonly string[];
  readonly limit: string;
  readonly output: "text" | "json";
}

/** Sends policies to a server, and prints what they would have done. */
export async function runPolicyTry(actions: Actions, request: TryRequest): Promise<void> {
  const limit = parseLimit(request.limit);
  const items = (await readFiles(actions, request.file)).map(({ manifest }) => manifest);
  using connection = await connect(actions, request);
  const body = { apiVersion: "v1", kind: "List", items };
  const report = await connection.client
    .json<TrialReport>("POST", `${TRY_PATH}?limit=${limit}`, { body })
    .catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
      throw new CliError("the server does not try policies: is it a keelson server?", { cause: error });
    });
  printReport(actions, request.output, report, () => tryLines(report, styleOf(actions)));
}
