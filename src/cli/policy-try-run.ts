import { StatusError } from "../client/errors.ts";
import { readManifests } from "../client/manifests.ts";
import { TRY_PATH, type TrialReport } from "../meta/trial-report.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import type { ServerFlags } from "./connect-flags.ts";
import { parseLimit } from "./object-argument.ts";
import { tryLines } from "./policy-try-lines.ts";
import { printReport, styleOf } from "./print-report.ts";
import { readText } from "./read-text.ts";

/** The files with policies, and the output format. */
export interface TryRequest extends ServerFlags {
  readonly file: readonly string[];
  readonly limit: string;
  readonly output: "text" | "json";
}

/** Sends policies to a server, and prints what they would have done. */
export async function runPolicyTry(actions: Actions, request: TryRequest): Promise<void> {
  const limit = parseLimit(request.limit);
  const items: unknown[] = [];
  for (const file of request.file) items.push(...(await manifestsOf(file, actions)));
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

async function manifestsOf(file: string, { terminal }: Actions): Promise<readonly unknown[]> {
  try {
    const source = file === "-" ? `${await readText(file, terminal.input)}\n` : file;
    return readManifests(source).map(({ manifest }) => manifest);
  } catch (cause) {
    throw new CliError((cause as Error).message, { cause });
  }
}
