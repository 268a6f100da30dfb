/**
 * What `keelson backup` does once it is asked to.
 *
 * @module
 */
import { statSync } from "node:fs";
import type { Actions } from "./actions.ts";
import { counted } from "./counted.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connect.ts";

/** What `backup` is told. */
export interface BackupFlags {
  readonly dataDir?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly compression: "zstd" | "gzip";
  readonly force?: true;
}

/** Asks the server, and writes what it sends. */
export async function runBackup(actions: Actions, file: string, flags: BackupFlags): Promise<void> {
  const { env } = actions.terminal;
  if (flags.force !== true) refuseExisting(file);
  const named = flags.kubeconfig ?? flags.context ?? (flags.dataDir === undefined ? env["KUBECONFIG"] : undefined);
  const kubeconfig = named ? flags.kubeconfig : await ownKubeconfig(actions, flags);
  using connection = await connect(actions, { kubeconfig, context: flags.context });
  const answer = await connection.transport({
    method: "GET",
    path: `/keelson/v1/backup?compression=${flags.compression}`,
    headers: { "user-agent": `keelson/${actions.version}` },
  });
  if (answer.status !== 200) throw await refusal(answer);
  const { revision, records, bytes } = await actions.files.saveBackup(answer.body, file);
  // Standard output may be the backup.
  const where = file === "-" ? "" : ` in ${file}`;
  actions.terminal.tell(`${counted(records, "record")} of revision ${revision}${where}, ${counted(bytes, "byte")}\n`);
}

/** A backup is never written over another one unawares; what is no plain file (a pipe, a device) is written to. */
function refuseExisting(file: string): void {
  if (file === "-" || !statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  throw new CliError(`expected ${file} not to exist; --force writes over it`);
}

/** The kubeconfig of the data directory, whose server must be running. */
async function ownKubeconfig(actions: Actions, { dataDir }: BackupFlags): Promise<string> {
  const { path, running, kubeconfig } = await actions.info(dataDir);
  if (running !== undefined && kubeconfig !== undefined) return kubeconfig;
  throw new CliError(`expected a server to run on ${path}; start it, or copy the directory: nobody changes it now`);
}

async function refusal({ status, body }: { status: number; body: AsyncIterable<Uint8Array> }): Promise<CliError> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const text = Buffer.concat(pieces).toString("utf8");
  let message = text.trim();
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message;
  } catch {
    // Not a Status: what came is told as it is.
  }
  return new CliError(`the server answered ${status}: ${message.slice(0, 500)}`);
}
