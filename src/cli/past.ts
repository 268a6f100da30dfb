/**
 * Asks a server for the past of an object, and tells failures in words of the command line.
 *
 * @module
 */
import type { Client } from "../client/client.ts";
import type { ServedKind } from "../client/kind.ts";
import { StatusError, isStatus } from "../client/errors.ts";
import { apiVersionOf } from "../client/kind.ts";
import type { HistoryQuery } from "../client/queries.ts";
import type { HistoryReport } from "../meta/history-report.ts";
import { CliError } from "./cli-error.ts";
import { findKind } from "./find-kind.ts";

/** An object as the command line and discovery name it. */
export interface PastObject {
  readonly client: Client;
  readonly kind: ServedKind;
  readonly name: string;
  /** Undefined for objects of the cluster. */
  readonly namespace: string | undefined;
}

/** Finds the kind of an object; the object itself need not exist. */
export async function pastObject(
  { client, namespace }: { readonly client: Client; readonly namespace: string },
  asked: string,
  name: string,
): Promise<PastObject> {
  const kind = await findKind(client, asked);
  return { client, kind, name, namespace: kind.scope === "Namespaced" ? namespace : undefined };
}

/** `configmap/web in default`; with its group where it has one. */
export const nameOf = ({ kind: { kind, group }, name, namespace }: Omit<PastObject, "client">): string =>
  `${kind.toLowerCase()}${group && `.${group}`}/${name}${namespace === undefined ? "" : ` in ${namespace}`}`;

/** The same as JSON, in the words of the reports. */
export const identityOf = ({ kind, name, namespace }: PastObject): object => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** The versions of an object. @throws CliError when nothing of the object is kept, or the server does not know history */
export async function historyOf(object: PastObject, query: HistoryQuery): Promise<HistoryReport> {
  const { client, kind, name, namespace } = object;
  try {
    return await client.resource(kind).history({ name, namespace }, query);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { details, code } = error.status;
    if (isStatus(error, "NotFound") && details?.kind !== undefined) {
      const when =
        query.at === undefined ? "the history has no version of it" : `it did not exist at version ${query.at}`;
      throw new CliError(`${nameOf(object)}: ${when}`, { cause: error });
    }
    if (isStatus(error, "MethodNotAllowed")) {
      const message = "the store of this server cannot list the versions of an object; name one, as in web@1234";
      throw new CliError(message, { cause: error });
    }
    if (code === 404) throw new CliError("the server does not know history: is it a keelson server?", { cause: error });
    throw error;
  }
}
