import { statSync } from "node:fs";
import type { Actions } from "./actions.ts";
import { counted } from "../util/counted.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";
import { withProgress } from "./progress-line.ts";

/** The flags of `backup`. */
export interface BackupFlags {
  readonly dataDir?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly compression: "zstd" | "gzip";
  readonly force?: true;
}

/** Requests a backup from the server, and saves it. */
export async function runBackup(actions: Actions, file: string, flags: BackupFlags): Promise<void> {
  const { env } = actions.terminal;
  if (flags.force !== true) refuseExisting(file);
  const named = flags.kubeconfig ?? flags.context ?? (flags.dataDir === undefined ? env["KUBECONFIG"] : undefined);
  const kubeconfig = named ? flags.kubeconfig : await ownKubeconfig(actions, flags);
  using connection = await connect(actions, { kubeconfig, context: flags.context });
  const response = await connection.transport({
    method: "GET",
    path: `/keelson/v1/backup?compression=${flags.compression}`,
    headers: { "user-agent": `keelson/${actions.version}` },
  });
  if (response.status !== 200) throw await refusal(response);
  const { revision, records, bytes } = await withProgress(actions, (progress) =>
    actions.files.saveBackup(response.body, file, progress),
  );
  // Standard output may be the backup.
  const where = file === "-" ? "" : ` in ${file}`;
  actions.terminal.tell(`${counted(records, "record")} of revision ${revision}${where}, ${counted(bytes, "byte")}\n`);
}

/** Refuses to overwrite a regular file. */
function refuseExisting(file: string): void {
  if (file === "-" || !statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  throw new CliError(`expected ${file} not to exist; --force overwrites it`);
}

/** Returns the kubeconfig of the data directory, whose server must be running. */
async function ownKubeconfig(actions: Actions, { dataDir }: BackupFlags): Promise<string> {
  const { path, running, kubeconfig } = await actions.info(dataDir);
  if (running !== undefined && kubeconfig !== undefined) return kubeconfig;
  throw new CliError(
    `expected a running server for ${path}; start it, or copy the directory, which does not change now`,
  );
}

async function refusal({ status, body }: { status: number; body: AsyncIterable<Uint8Array> }): Promise<CliError> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const text = Buffer.concat(pieces).toString("utf8");
  let message = text.trim();
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message;
  } catch {
    // The body is not a Status.
  }
  return new CliError(`the server responded with ${status}: ${message.slice(0, 500)}`);
}
