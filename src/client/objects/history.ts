import type { Client } from "../client.ts";
import { StatusError, isStatus } from "../errors.ts";
import { type ServedKind, apiVersionOf } from "../kind.ts";
import type { HistoryQuery } from "../queries.ts";
import type { HistoryReport, ReportedVersion } from "../../meta/history-report.ts";
import type { Value } from "../../value/value.ts";
import { ObjectError } from "./object-error.ts";

/** An object by its kind and name, which need not exist. */
export interface ObjectRef {
  readonly client: Client;
  readonly kind: ServedKind;
  readonly name: string;
  /** Undefined for objects of the cluster. */
  readonly namespace: string | undefined;
}

/** Returns `configmap/web in default`, with the group if there is one. */
export const nameOf = ({ kind: { kind, group }, name, namespace }: Omit<ObjectRef, "client">): string =>
  `${kind.toLowerCase()}${group && `.${group}`}/${name}${namespace === undefined ? "" : ` in ${namespace}`}`;

/** Returns the identity of an object for JSON reports. */
export const identityOf = ({ kind, name, namespace }: ObjectRef): object => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** Requests one version of an object, with its content. @throws ObjectError as {@link historyOf} */
export async function versionOf(ref: ObjectRef, at: string): Promise<ReportedVersion & { readonly object: Value }> {
  const [version] = (await historyOf(ref, { at, objects: true })).versions;
  if (version?.object === undefined) throw new ObjectError(`${nameOf(ref)}: expected version ${at} in the history`);
  return { ...version, object: version.object };
}

/** Requests the versions of an object. @throws ObjectError if there are none, or the server does not support history */
export async function historyOf(object: ObjectRef, query: HistoryQuery): Promise<HistoryReport> {
  const { client, kind, name, namespace } = object;
  try {
    return await client.resource(kind).history({ name, namespace }, query);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { details, code } = error.status;
    if (isStatus(error, "NotFound") && details?.kind !== undefined) {
      const when =
        query.at === undefined ? "the history has no version of it" : `it did not exist at version ${query.at}`;
      throw new ObjectError(`${nameOf(object)}: ${when}`, { cause: error });
    }
    if (isStatus(error, "MethodNotAllowed")) {
      const message = "the store of this server cannot list the versions of an object; name one, as in web@1234";
      throw new ObjectError(message, { cause: error });
    }
    if (code === 404)
      throw new ObjectError("the server does not support history: is it a keelson server?", { cause: error });
    throw error;
  }
}
